import { readCosts } from './costs.ts';
import { writeBlocks } from './document.ts';
import { simulationTables } from './simulation-tables.ts';
import { modelTables } from './tables.ts';

/**
 * The plan past one machine, of which docs/scale.md tells.
 *
 *   npm run bench:scale                  the model's tables, from costs.json
 *   npm run bench:scale -- simulate      shard keys against each other; half a minute
 *   npm run bench:scale -- docs          both, into docs/scale.md
 *   npm run bench:scale -- measure       costs.json anew; needs nats-server, redis-server and TEST_MONGO_URL, Linux.
 *                                        SCALE_DATABASE_PIDS=1,2: the database's processes, for their processor time;
 *                                        SCALE_DATABASE_NAME: what it is
 */
const command = process.argv[2] ?? 'model';
if (command === 'measure') await import('./measure/main.ts');
else if (command === 'model') print(modelTables(readCosts()));
else if (command === 'simulate') print(simulationTables(readCosts()));
else if (command === 'docs') writeBlocks({ ...modelTables(readCosts()), ...simulationTables(readCosts()) });
else {
	process.stderr.write('bench:scale takes model, simulate, docs or measure\n');
	process.exitCode = 2;
}

function print(tables: Record<string, string>): void {
	for (const content of Object.values(tables)) process.stdout.write(`${content}\n\n`);
}
