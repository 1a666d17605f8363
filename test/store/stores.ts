import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from '@jest/globals';
import { openStore } from '../../shared/store/open-store.ts';
import type { Store } from '../../shared/store/store.ts';
import { STORE_PATIENCE } from '../support/bound.ts';

/** Opens a store of a form; each call of one suite opens another connection to the same data where the form allows it. */
export type Open = () => Promise<Store>;

/** Runs a suite on the embedded store, and on the server that TEST_MONGO_URL names. Each run has data of its own. */
export function onBothForms(name: string, suite: (open: Open) => void): void {
	describe(`${name}, embedded`, () => {
		const directory = temporaryDirectory();
		const stores: Store[] = [];
		afterAll(() => closeAll(stores));
		suite(() => keep(stores, openStore({ form: 'embedded', dataDir: directory() })));
	});
	onServer(name, suite);
}

/** Runs a suite on the server that TEST_MONGO_URL names, or says that it was skipped. */
export function onServer(name: string, suite: (open: Open) => void): void {
	const server = process.env.TEST_MONGO_URL;
	const [run, why] = server ? [describe, ''] : [describe.skip, ' (skipped: TEST_MONGO_URL is not set)'];
	run(`${name}, on MongoDB${why}`, () => {
		const namespace = `store_${randomUUID().slice(0, 8)}`;
		const stores: Store[] = [];
		afterAll(async () => {
			await stores[0]?.connection.dropDatabase();
			await closeAll(stores);
		});
		suite(() => {
			const mongoUrl = withoutPath(server!);
			return keep(stores, openStore({ form: 'cluster', mongoUrl, namespace, patience: STORE_PATIENCE }));
		});
	});
}

/** A new directory for each call; all are removed at the end of the suite. */
export function temporaryDirectory(): () => string {
	const made: string[] = [];
	afterAll(() => {
		for (const directory of made) rmSync(directory, { recursive: true, force: true });
	});
	return () => {
		const directory = mkdtempSync(join(tmpdir(), 'slotwise-store-'));
		made.push(directory);
		return directory;
	};
}

async function keep(stores: Store[], opening: Promise<Store>): Promise<Store> {
	const store = await opening;
	stores.push(store);
	return store;
}

async function closeAll(stores: Store[]): Promise<void> {
	await Promise.all(stores.map((store) => store.close()));
}

function withoutPath(url: string): string {
	return url.replace(/^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?/, '$1/');
}
