import { createHash } from 'node:crypto';
import { Cluster } from './cluster.ts';
import type { AtRest, Booking, Event, Finding } from './oracles/evidence.ts';
import { judge } from './oracles/index.ts';
import { Client, drawMix } from './workload/client.ts';
import { planFaults } from './workload/faults.ts';
import { dataOf, History } from './workload/history.ts';
import type { Tenant } from './workload/tenant.ts';
import type { Bundle } from './world/bundle.ts';
import { real } from './world/own-globals.ts';
import { World } from './world/world.ts';

export interface RunOptions {
	seed: string;
	bundle: Bundle;
	/** ms of the world's time with load and faults */
	lasts: number;
	faults: boolean;
}

export interface Run {
	seed: string;
	findings: Finding[];
	history: History;
	world: World;
	/** Of the whole history and story: the same for the same seed */
	digest: string;
	/** ms of the world's time, of this process' processor */
	simulated: number;
	processor: number;
}

const ACCOUNTS = 2;
const CLIENTS = 3;
/** ms for a start; for what is left when the faults are over */
const START = 20_000;
const SETTLING = 25_000;

/** One world, from its start to its judgement. */
export async function runSeed({ seed, bundle, lasts, faults }: RunOptions): Promise<Run> {
	const processor = real.cpuUsage();
	const world = new World(seed, bundle);
	const cluster = new Cluster(world, ACCOUNTS);
	const history = new History();
	await world.run(START, () => cluster.members.every((member) => member.process.stop !== undefined));
	const tenants: Tenant[] = cluster.keys.map((key, account) => ({
		account,
		key,
		services: [],
		slots: [],
		bookings: [],
	}));
	const gateways = cluster.gateways.map(({ address }) => address);
	let host = 100;
	const mix = drawMix(world.random.fork('mix'));
	const clientOf = (own: Tenant, name: string) => {
		const process = world.process(name, `10.0.1.${host++}`);
		return { process, client: new Client({ world, process, history, tenants, own, gateways, mix }) };
	};
	const begin = world.agenda.now + 1_500; // Moleculer tells what it serves a second after its start
	const end = begin + lasts;
	if (faults) planFaults(world, cluster, begin + 1_000, end);
	for (const own of tenants) {
		for (let index = 1; index <= CLIENTS; index++) {
			const { process, client } = clientOf(own, `account-${own.account}.${index}`);
			world.agenda.at(begin, () => {
				process.deliver(async () => {
					if (index === 1) await client.createService(2);
					await client.act(end);
				});
			});
		}
	}
	await world.run(end + SETTLING);
	const atRest = tenants.map((): AtRest => ({ bookings: [], events: [] }));
	let done = 0;
	for (const own of tenants) {
		const { process, client } = clientOf(own, `auditor-${own.account}`);
		process.deliver(async () => {
			await lookAt(client, own, atRest[own.account]!);
			done++;
		});
	}
	await world.run(world.agenda.now + 60_000, () => done === tenants.length);
	const findings = judge({ history, tenants, atRest, outages: cluster.outages });
	if (done < tenants.length) findings.push({ rule: 'at rest', what: 'not all could be read', operations: [] });
	for (const { who, detail } of world.crashes)
		findings.push({ rule: 'no crash', what: `${who}: ${detail}`, operations: [] });
	const { user, system } = real.cpuUsage(processor);
	return {
		seed,
		findings,
		history,
		world,
		digest: createHash('sha256').update(history.text()).update(JSON.stringify(world.told)).digest('hex'),
		simulated: world.agenda.now,
		processor: (user + system) / 1000,
	};
}

async function lookAt(client: Client, own: Tenant, atRest: AtRest): Promise<void> {
	for (const service_id of own.services) {
		const query = { service_id, page: 1, page_size: 1000 };
		for (let page = 1, all = 1; page <= all; page++) {
			const asked = await client.ask({ method: 'GET', path: '/v1/bookings', query: { ...query, page } });
			const data = dataOf<{ bookings: Booking[]; pagination: { total_pages: number } }>(asked);
			if (data === undefined) throw new Error(`the list could not be read: ${JSON.stringify(asked.answer)}`);
			atRest.bookings.push(...data.bookings);
			all = data.pagination.total_pages;
		}
	}
	for (let after = 0, more = true; more; ) {
		const asked = await client.ask({ method: 'GET', path: '/v1/events', query: { after, limit: 1000 } });
		const data = dataOf<{ events: Event[]; has_more: boolean }>(asked);
		if (data === undefined) throw new Error(`the events could not be read: ${JSON.stringify(asked.answer)}`);
		atRest.events.push(...data.events);
		after = data.events.at(-1)?.sequence ?? after;
		more = data.has_more;
	}
}
