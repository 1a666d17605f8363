import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import type { Bench } from '../bench.ts';
import type { Side } from '../comparison.ts';
import { Forked } from '../forked.ts';
import type { Figures } from '../load/figures.ts';
import type { DatabaseTask, Statement } from './database.ts';

const DATABASE = new URL('database.ts', import.meta.url);

/** Statements against the database itself, of as many clients as the product has. */
export async function databaseSide(bench: Bench, mongoUrl: string, name: string, statement: Statement): Promise<Side> {
	const { process } = await bench.part(`database ${mongoUrl}`, async () => {
		const forked = new Forked<undefined, DatabaseTask, Figures>(DATABASE, { MONGO_URL: mongoUrl });
		await forked.ready;
		return { process: forked, stop: () => forked.stop() };
	});
	return {
		name,
		async measure(seconds) {
			const { clients } = bench.options;
			const { rate, p50, p99, generatorCpu } = await process.ask({ ...statement, clients, seconds });
			return { value: rate, generatorCpu, notes: { p50: `${p50.toFixed(2)} ms`, p99: `${p99.toFixed(2)} ms` } };
		},
	};
}

/** A database of the benchmark's own on the product's server; it goes with the bench. */
export async function ownDatabase(bench: Bench, mongoUrl: string): Promise<string> {
	const url = new URL(mongoUrl);
	url.pathname = `/bench_${randomBytes(6).toString('hex')}`;
	const { href } = await bench.part('own database', async () => ({
		href: url.href,
		async stop() {
			const client = new MongoClient(url.href);
			await client.db().dropDatabase();
			await client.close();
		},
	}));
	return href;
}
