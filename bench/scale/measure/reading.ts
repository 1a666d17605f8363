import { Redis } from 'ioredis';
import { SERVICE_NAMES } from '../../../shared/config/config.ts';
import type { Bench } from './bench.ts';
import { cpuTime, cpuTimeOfTree } from './cpu-time.ts';

/**
 * Counters of everything that takes part, by name: `nats.in_msgs`, `redis.evalsha`, `database.bookings.find.operations`,
 * `cpu.gateway` (ms), `hold.booking.seconds`. They only ever grow, so two readings differ by what happened in between.
 */
export type Reading = Record<string, number>;

export async function read(bench: Bench): Promise<Reading> {
	const parts = await Promise.all([nats(bench), redis(bench), holds(bench)]);
	return Object.assign({}, ...parts, database(bench), processes(bench));
}

export function difference(after: Reading, before: Reading): Reading {
	return Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]));
}

async function nats({ natsMonitor, natsPid }: Bench): Promise<Reading> {
	const seen = (await (await fetch(`${natsMonitor}/varz`)).json()) as Record<string, number>;
	const names = ['in_msgs', 'out_msgs', 'in_bytes', 'out_bytes'];
	return { ...Object.fromEntries(names.map((name) => [`nats.${name}`, seen[name]!])), 'cpu.nats': cpuTime(natsPid) };
}

/** Commands of clients by name, and what the scripts call inside under the same names. */
async function redis({ product }: Bench): Promise<Reading> {
	const { url, child } = product.redis!;
	const client = new Redis(url);
	const text = await client.info('commandstats');
	client.disconnect();
	const calls = [...text.matchAll(/cmdstat_([a-z|]+):calls=(\d+)/g)].map(([, name, count]) => [
		`redis.${name}`,
		Number(count),
	]);
	return { ...Object.fromEntries(calls), 'cpu.redis': cpuTime(child.pid) };
}

/** Leases of booking are batches of one slot and date; those of notifications are batches of one account's events. */
async function holds({ product }: Bench): Promise<Reading> {
	const readings = (['booking', 'notifications'] as const).map(async (service) => {
		const texts = await Promise.all(
			product.of(service).map(async ({ adminUrl }) => (await fetch(`${adminUrl}/metrics`)).text()),
		);
		const sum = (name: string) =>
			texts.reduce((total, text) => total + Number(new RegExp(`^${name}\\S* (\\S+)$`, 'm').exec(text)?.[1] ?? 0), 0);
		return {
			[`hold.${service}.count`]: sum('slotwise_lock_hold_seconds_count'),
			[`hold.${service}.seconds`]: sum('slotwise_lock_hold_seconds_sum'),
		};
	});
	return Object.assign({}, ...(await Promise.all(readings)));
}

function database({ wire, databasePids }: Bench): Reading {
	const traffic = [...wire.traffic].flatMap(([name, { operations, documents, bytes }]) => [
		[`database.${name}.operations`, operations],
		[`database.${name}.documents`, documents],
		[`database.${name}.bytes`, bytes],
	]);
	const used = databasePids.reduce((sum, pid) => sum + cpuTimeOfTree(pid), 0);
	return { ...Object.fromEntries(traffic), 'cpu.database': used };
}

function processes({ product }: Bench): Reading {
	return Object.fromEntries(
		SERVICE_NAMES.map((name) => [`cpu.${name}`, product.of(name).reduce((sum, { pid }) => sum + cpuTime(pid), 0)]),
	);
}
