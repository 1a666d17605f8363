import { writeFileSync } from 'node:fs';
import type { Form } from '../test/support/product.ts';
import { whyNoCluster } from '../test/support/servers.ts';
import { Bench } from './bench.ts';
import { compare, type Measure, type Outcome } from './comparison.ts';
import { databaseServer } from './database-server.ts';
import { measures } from './measures/index.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { printed, reportOf } from './report.ts';

/** `npm run bench`: everything in one run, each measure beside its baseline; docs/performance.md tells what it means. */
async function main(options: Options): Promise<void> {
	const bench = new Bench(options);
	const outcomes: Outcome[] = [];
	const machine: Record<string, string> = {};
	try {
		for (const form of options.forms) {
			const wanted = wantedOf(form, options.only);
			if (wanted.length === 0) continue;
			const missing = form === 'cluster' ? whyNoCluster() : undefined;
			if (missing !== undefined) {
				tell(`no cluster here: ${missing}`);
				continue;
			}
			if (form === 'cluster') machine.database = await databaseServer(process.env.TEST_MONGO_URL!);
			for (const measure of wanted) {
				tell(`${form} ${measure.name}`);
				await compare(bench, measure).then(
					(outcome) => outcomes.push(outcome),
					(error: Error) => fail(`${form} ${measure.name}`, error),
				);
			}
			await bench.stopParts();
		}
	} finally {
		await bench.stop();
	}
	const report = reportOf(outcomes, machine);
	process.stdout.write(printed(report));
	if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, '\t')}\n`);
}

/** A name means its measure, a part of names all of theirs; several are divided by commas. */
function wantedOf(form: Form, only = ''): readonly Measure[] {
	const all = measures.filter((one) => one.form === form);
	const wanted = only.split(',').flatMap((word) => {
		const exact = all.filter(({ name }) => name === word);
		return exact.length > 0 ? exact : all.filter(({ name }) => name.includes(word));
	});
	return all.filter((one) => wanted.includes(one));
}

/** The other measures go on: their figures are not worth less. */
function fail(name: string, error: Error): void {
	process.exitCode = 1;
	tell(`${name} failed: ${error.stack}`);
}

function tell(line: string): void {
	process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}

function optionsOrExit(): ReturnType<typeof readOptions> {
	try {
		return readOptions(process.argv.slice(2));
	} catch (error) {
		process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
		process.exit(78);
	}
}

const { list, ...options } = optionsOrExit();
if (list) process.stdout.write(measures.map(({ form, name, title }) => `${form} ${name}: ${title}\n`).join(''));
else await main(options);
