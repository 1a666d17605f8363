import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { openStore } from '../../../shared/store/open-store.ts';
import { prepareModels } from '../../../shared/store/prepare-models.ts';
import { thing, thingModel } from '../thing.ts';

/**
 * `thing-process.ts DIRECTORY ID`: prints the ids that a store holds and, when it is sent a line, writes another one. It
 * prints whether that was acknowledged, or the error's name. Then it waits to be killed.
 */
const [dataDir = '', id = ''] = process.argv.slice(2);
const say = (text: string) => writeSync(1, `${text}\n`);

try {
	const store = await openStore({ form: 'embedded', dataDir });
	const things = thingModel(store.connection);
	await prepareModels([things]);
	const found = await things.find({}).sort({ _id: 1 }).lean();
	say(`found ${found.map(({ _id }) => _id).join(' ')}`);
	await once(process.stdin, 'data');
	await things.insertMany([thing(Number(id))], { lean: true });
	say(`wrote ${id}`);
} catch (error) {
	say(`failed ${(error as Error).name}`);
}
setInterval(() => {}, 1_000);
