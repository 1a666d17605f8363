import { createHash } from 'node:crypto';
import { Cluster } from './cluster.ts';
import { lookAt } from './look-at.ts';
import { type Evidence, type Finding, nothing } from './oracles/evidence.ts';
import { judge } from './oracles/index.ts';
import { Client } from './workload/client.ts';
import { planFaults } from './workload/faults.ts';
import { History } from './workload/history.ts';
import { Receiver } from './workload/receiver.ts';
import { drawShape } from './workload/shape.ts';
import { createService, createWebhook } from './workload/steps.ts';
import { newTenant, type Tenant } from './workload/tenant.ts';
import type { Bundle } from './world/bundle.ts';
import { real } from './world/own-globals.ts';
import { World } from './world/world.ts';

/** What a world has, and does not use */
export interface Without {
	/** By their number in the plan */
	faults: ReadonlySet<number>;
	/** By name */
	clients: ReadonlySet<string>;
}

export interface RunOptions {
	seed: string;
	bundle: Bundle;
	/** ms of the world's time with load and faults; where undefined, the seed says */
	lasts: number | undefined;
	faults: boolean;
	without?: Without;
}

export interface Run {
	seed: string;
	findings: Finding[];
	evidence: Evidence;
	history: History;
	world: World;
	cluster: Cluster;
	/** Faults that were planned; names of the clients */
	faults: number;
	clients: string[];
	/** Of the whole history and story: the same for the same seed */
	digest: string;
	/** ms of the world's time, of this process' processor */
	simulated: number;
	processor: number;
}

const RECEIVERS = 2;
/** ms for a start */
const START = 20_000;
/** ms, and a little */
const MINUTE = 61_000;
/** ms after the last fault and the last new request in which those under way have ended */
const ENDING = 13_000;
/** ms in which all that is left must drain then */
const DRAINING = 10_000;
/** ms more where there are webhooks: a delivery that nobody looks at is due for 10 s before somebody does, every 5 s */
const TENDING = 6_500;
/** ms instead where a service may be half deleted: a process that has seen it so for 15 s, and looks every 2 s, does the rest */
const FINISHING = 22_000;

const NOTHING: Without = { faults: new Set(), clients: new Set() };

/** One world, from its start to its judgement. */
export async function runSeed({ seed, bundle, lasts, faults, without = NOTHING }: RunOptions): Promise<Run> {
	const processor = real.cpuUsage();
	const world = new World(seed, bundle);
	const shape = drawShape(world.random.fork('shape'), lasts);
	const { mix } = shape;
	if (shape.about !== undefined) world.tell('the world', `is about ${shape.about}`);
	const cluster = new Cluster(world, shape);
	const history = new History();
	await world.run(START, () => cluster.members.every((member) => member.process.stop !== undefined));
	const tenants = cluster.accounts.map(({ key, plan }, account) =>
		newTenant({ account, key, bookingsLimit: plan.bookings_per_month, servicesLimit: plan.services_limit }),
	);
	const receivers = Array.from({ length: RECEIVERS }, (_, index) => {
		const process = world.process(`receiver-${index + 1}`, `10.0.2.${index + 1}`);
		new Receiver(world.network, process);
		return process.address;
	});
	const gateways = cluster.gateways.map(({ address }) => address);
	let host = 100;
	const clientOf = (own: Tenant, name: string, history: History) => {
		const process = world.process(name, `10.0.1.${host++}`);
		return { process, client: new Client({ world, process, history, tenants, own, gateways, receivers, mix }) };
	};
	const begin = world.agenda.now + 1_500; // Moleculer tells what it serves a second after its start
	const end = begin + shape.lasts;
	const planned = faults
		? planFaults(world, cluster, shape.trouble, {
				begin: begin + Math.min(1_000, shape.lasts / 8),
				end,
				without: without.faults,
			})
		: 0;
	const clients: string[] = [];
	let acting = 0;
	for (const own of tenants) {
		for (let index = 1; index <= shape.clients; index++) {
			const { process, client } = clientOf(own, `account-${own.account}.${index}`, history);
			clients.push(process.name);
			const isLeftOut = without.clients.has(process.name);
			acting++;
			world.agenda.at(begin, () => {
				process.deliver(async () => {
					if (index === 1) {
						await createService(client, false);
						for (let count = 0; count < mix.webhooks; count++) await createWebhook(client);
					}
					if (!isLeftOut) await client.act(end);
					acting--;
				});
			});
		}
	}
	if (mix.holds > 0) {
		// Holds of a minute end now and then, and at last those that are left.
		const chance = world.random.fork('skips');
		for (let at = begin + chance.between(1_000, 5_000); at < end; at += chance.between(1_000, 8_000)) {
			world.agenda.at(at, () => cluster.skip(MINUTE));
		}
		world.agenda.at(end, () => cluster.skip(MINUTE));
	}
	await world.run(end);
	await world.run(end + ENDING, () => acting === 0 && cluster.mongo.underWay === 0);
	const draining = DRAINING + (mix.webhooks > 0 ? TENDING : 0);
	await world.run(world.agenda.now + (mayBeHalfDeleted(history) ? FINISHING : draining));
	const atRest = tenants.map(nothing);
	let done = 0;
	for (const own of tenants) {
		const { process, client } = clientOf(own, `auditor-${own.account}`, new History());
		process.deliver(async () => {
			await lookAt(client, atRest[own.account]!);
			done++;
		});
	}
	await world.run(world.agenda.now + 60_000, () => done === tenants.length);
	const evidence: Evidence = {
		history,
		tenants,
		atRest,
		outages: cluster.outages,
		ends: cluster.ends,
		clocks: cluster.clocks,
		ended: world.agenda.now,
		written: cluster.mongo.written,
		logged: cluster.mongo.logged,
		clocksApart: cluster.clocksApart,
		documents: (collection) => [...cluster.mongo.collection(collection).documents],
	};
	const findings = judge(evidence);
	if (done < tenants.length) findings.push({ rule: 'at rest', what: 'not all could be read', operations: [] });
	for (const { who, detail } of world.crashes)
		findings.push({ rule: 'no crash', what: `${who}: ${detail}`, operations: [] });
	world.end();
	const { user, system } = real.cpuUsage(processor);
	return {
		seed,
		findings,
		evidence,
		history,
		world,
		cluster,
		faults: planned,
		clients,
		digest: createHash('sha256').update(history.text()).update(JSON.stringify(world.told)).digest('hex'),
		simulated: world.agenda.now,
		processor: (user + system) / 1000,
	};
}

/** Whether nobody knows how far the deletion of a service got. */
function mayBeHalfDeleted({ operations }: History): boolean {
	return operations.some(
		({ method, path, answer }) =>
			method === 'DELETE' && /^\/v1\/services\/\d+$/.test(path) && (answer === undefined || answer.status >= 500),
	);
}
