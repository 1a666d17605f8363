import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openStore } from '../../shared/store/open-store.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import type { Store } from '../../shared/store/store.ts';
import { play } from './play.ts';
import { playInMemory } from './play-in-memory.ts';
import { operationsPerStory, stories } from './random-operations.ts';
import { onServer, temporaryDirectory } from './stores.ts';
import { type ThingModel, thingModel } from './thing.ts';

/** Operations; nightly 10,000 in each test. */
const runs = (few: number) => Number(process.env.STORE_FUZZ_RUNS ?? few);
const inMemory = runs(2_500);
const againstServer = runs(400);

/** STORE_FUZZ_SEED repeats a run; a failure prints its seed. */
const parameters = (operations: number) => ({
	numRuns: Math.ceil(operations / operationsPerStory),
	...(process.env.STORE_FUZZ_SEED ? { seed: Number(process.env.STORE_FUZZ_SEED) } : {}),
});

const directory = temporaryDirectory();
const stores: Store[] = [];
afterAll(() => Promise.all(stores.map((store) => store.close())));

async function embeddedThings(): Promise<ThingModel> {
	const store = await openStore({ form: 'embedded', dataDir: directory() });
	stores.push(store);
	const things = thingModel(store.connection);
	await prepareModels([things]);
	return things;
}

describe('random filters, updates and sorts', () => {
	test(`E5: When ${inMemory} run on the embedded store, then mingo alone answers alike`, async () => {
		const things = await embeddedThings();
		const property = fc.asyncProperty(stories, async (story) => {
			expect(await play(things, story)).toEqual(playInMemory(story));
		});
		await fc.assert(property, parameters(inMemory));
	}, 300_000);
});

onServer('random filters, updates and sorts', (open) => {
	let things: ThingModel;
	beforeAll(async () => {
		things = thingModel((await open()).connection);
		await prepareModels([things]);
	});

	test(`E5: When ${againstServer} run on both forms, then both answer alike`, async () => {
		const embedded = await embeddedThings();
		const property = fc.asyncProperty(stories, async (story) => {
			expect(await play(embedded, story)).toEqual(await play(things, story));
		});
		await fc.assert(property, parameters(againstServer));
	}, 1_800_000);
});
