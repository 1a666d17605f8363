import { afterAll, beforeAll } from '@jest/globals';
import { openStore } from '../../../shared/store/open-store.ts';
import { prepareModels } from '../../../shared/store/prepare-models.ts';
import type { Store } from '../../../shared/store/store.ts';
import { temporaryDirectory } from '../stores.ts';
import { fill, type Thing, type ThingModel, thingModel } from '../thing.ts';

/** An embedded store with so many things in it, for the tests of a suite. */
export function storedThings(count: number, made: (index: number) => Thing): () => ThingModel {
	const directory = temporaryDirectory();
	let store: Store;
	let things: ThingModel;
	beforeAll(async () => {
		store = await openStore({ form: 'embedded', dataDir: directory() });
		things = thingModel(store.connection);
		await prepareModels([things]);
		await fill(
			things,
			Array.from({ length: count }, (_, index) => made(index)),
		);
	});
	afterAll(() => store.close());
	return () => things;
}
