import { type Cost, type Costs, KINDS, type Kind, sumOf } from './costs.ts';
import { COMPONENTS, type Component, heartbeatLoad, natsLoad, utilisations } from './model/components.ts';
import { limits, limitsOn, type Reached, SCALES } from './model/first-limits.ts';
import { processesFor } from './model/processes.ts';
import { requestsOf, workloadAt } from './model/workload.ts';

/** What lifts a limit; docs/scale.md says how. */
export const LIFTS: Record<Component, string> = {
	'NATS server': 'fewer heartbeats, then a cluster of servers',
	Redis: 'a Redis for limits apart from that for locks, then several by hash of the key',
	'database primary': 'more keys remembered, then shards by account',
	'database disk': 'shards by account; old bookings moved away',
	'counter of booking ids': 'numbers taken in blocks',
	'month’s row of the hottest account': 'reservations in blocks; calls by account to one process',
	'event log of the hottest account': 'one batch from several relays; a log in parts',
	'webhook of the hottest account': 'a wider window, many events in one delivery',
	'hottest slot and date': 'a waiting room; seats in parts',
	'sweeps, on each shard': 'sweeps of a part of the accounts by each process',
};

/** What if NATS, Redis and the database were so many times faster than those that were measured */
const FASTER = 4;

/** By name, as the marked blocks of docs/scale.md have them. */
export function modelTables(costs: Costs): Record<string, string> {
	return {
		costs: costTable(costs),
		processes: processTable(costs),
		limits: limitTable(costs),
		first: firstTable(costs),
	};
}

function costTable({ kinds }: Costs): string {
	const row = (kind: Kind, { per }: Cost) => {
		const services = ['accounts', 'catalog', 'customer', 'notifications'].reduce(
			(sum, name) => sum + (per[`cpu.${name}`] ?? 0),
			0,
		);
		return [
			kind,
			digits(per['nats.in_msgs']),
			digits((per['nats.in_bytes'] ?? 0) / 1024),
			digits(per['redis.evalsha']),
			digits(sumOf(per, 'database.', '.operations')),
			digits(sumOf(per, 'database.', '.documents')),
			...['gateway', 'booking'].map((name) => digits(per[`cpu.${name}`])),
			digits(services),
			...['nats', 'redis', 'database'].map((name) => digits(per[`cpu.${name}`])),
		];
	};
	const heads = ['A request', 'NATS messages', 'KiB', 'Redis scripts', 'database operations', 'documents'];
	const cpu = ['gateway', 'booking', 'other services', 'NATS', 'Redis', 'database'].map((name) => `ms ${name}`);
	return table(
		[...heads, ...cpu],
		KINDS.map((kind) => row(kind, kinds[kind])),
	);
}

function processTable(costs: Costs): string {
	const columns = SCALES.map((scale) => {
		const workload = workloadAt(scale);
		const { counts, all, lookUps } = processesFor(costs, workload);
		const nats = heartbeatLoad(costs, all) / natsLoad(costs, workload, all);
		const database = utilisations(costs, workload)['database primary'];
		const keys = utilisations({ ...costs, kinds: withoutLookUps(costs) }, workload)['database primary'];
		return [
			count(requestsOf(workload)),
			count(workload.events),
			count(workload.accounts),
			percent(workload.hottest.account),
			...Object.values(counts).map(count),
			count(lookUps),
			percent(1 - keys / database),
			percent(nats),
		];
	});
	const services = Object.keys(processesFor(costs, workloadAt(1)).counts).map((name) => `processes of ${name}`);
	const names = [
		'requests/s',
		'events/s',
		'accounts',
		'the hottest account, of all',
		...services,
		'look-ups of keys/s',
	];
	names.push('look-ups, of the database’s work', 'heartbeats, of NATS’ work');
	return table(
		['', ...SCALES.map(times)],
		names.map((name, row) => [name, ...columns.map((column) => column[row]!)]),
	);
}

/** As if an unknown key cost what a known one does. */
function withoutLookUps({ kinds }: Costs): Costs['kinds'] {
	return { ...kinds, 'get, unknown key': kinds['get, nothing there'] };
}

function limitTable(costs: Costs): string {
	const used = SCALES.map((scale) => utilisations(costs, workloadAt(scale)));
	const cheaper = new Map(limits(costs, FASTER).map(({ component, at }) => [component, at]));
	return table(
		['Component', ...SCALES.map(times), 'full at', `with servers ${FASTER} times as fast`],
		limits(costs).map(({ component, at }) => [
			component,
			...used.map((one) => percent(one[component])),
			times(at),
			times(cheaper.get(component)!),
		]),
	);
}

function firstTable(costs: Costs): string {
	const all = limits(costs);
	const name = ({ component, at }: Reached) => `${component} (${times(at)})`;
	return table(
		['At', 'First limit', 'What lifts it', 'Then, on the way there'],
		SCALES.map((scale) => {
			const [first, ...others] = limitsOn(all, scale);
			if (first === undefined) return [times(scale), `none; the fullest is ${fullest(costs, scale)}`, '', ''];
			return [times(scale), name(first), LIFTS[first.component], others.map(name).join(', ')];
		}),
	);
}

function fullest(costs: Costs, scale: number): string {
	const used = utilisations(costs, workloadAt(scale));
	const [first] = [...COMPONENTS].sort((a, b) => used[b] - used[a]);
	return `the ${first} at ${percent(used[first!])}`;
}

export function table(head: string[], rows: string[][]): string {
	const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
	return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

export function percent(share: number): string {
	return `${digits(100 * share)} %`;
}

export function times(scale: number): string {
	return `${Number.isFinite(scale) ? count(scale) : '> 1,000,000'}×`;
}

/** Two digits that say something. */
export function digits(value = 0): string {
	return value >= 100 ? count(value) : String(Number(value.toPrecision(2)));
}

export function count(value: number): string {
	return value < 10
		? String(Number(value.toPrecision(2)))
		: Math.round(Number(value.toPrecision(3))).toLocaleString('en');
}
