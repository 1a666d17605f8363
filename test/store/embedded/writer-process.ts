import { writeSync } from 'node:fs';
import { openStore } from '../../../shared/store/open-store.ts';
import { prepareModels } from '../../../shared/store/prepare-models.ts';
import { thing, thingModel } from '../thing.ts';

/**
 * A process that writes to the store of a directory until it is killed: `writer-process.ts DIRECTORY FIRST_ID`.
 * It prints `ready`, then a line for each write before it is made and after it was acknowledged.
 */
const [dataDir = '', firstId = '1'] = process.argv.slice(2);
const say = (...words: (string | number)[]) => print(Buffer.from(`${words.join(' ')}\n`));

/** Until the pipe has it: one whose reader has other work to do takes nothing for a while. */
function print(bytes: Buffer): void {
	for (let at = 0; at < bytes.length; ) {
		try {
			at += writeSync(1, bytes, at);
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
		}
	}
}

try {
	const store = await openStore({ form: 'embedded', dataDir });
	const things = thingModel(store.connection);
	await prepareModels([things]);
	say('ready');

	let next = Number(firstId);
	const write = async (): Promise<void> => {
		const [one, two, three] = [next++, next++, next++];
		const documents = [one, two, three].map((_id) =>
			thing(_id, { rank: _id % 7, name: 'v1', data: 'x'.repeat(_id % 900) }),
		);
		await things.insertMany(documents, { ordered: false, lean: true });
		say('inserted', one, two, three);
		await things.updateOne({ _id: one, version: 1 }, { $set: { name: 'v2', rank: null }, $inc: { version: 1 } });
		say('updated', one);
		await things.updateMany({ _id: { $in: [one, two] } }, { $set: { name: 'v3', version: 3 } });
		say('updated-all', one, two);
		say('deleting', three);
		await things.deleteOne({ _id: three });
		say('deleted', three);
	};
	await Promise.all(
		Array.from({ length: 6 }, async () => {
			for (;;) await write();
		}),
	);
} catch (error) {
	process.stderr.write(`${(error as Error).message}\n`);
	process.exitCode = 1;
}
