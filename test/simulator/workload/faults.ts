import type { Cluster, Member } from '../cluster.ts';
import type { Random } from '../world/random.ts';
import type { World } from '../world/world.ts';
import { collectionOf, type Fault, onOneMachine, type Reach, struck, until } from './reach.ts';
import { HOUR, type Trouble } from './shape.ts';
import { storeFaults } from './store-faults.ts';

/**
 * What goes wrong, when: all of it is drawn from the seed. Each world has a few kinds of faults only, some often, some
 * seldom: what needs many of one kind would never happen where all are equally likely. Everything is mended at `end`.
 * @returns how many were planned
 */
export function planFaults(world: World, cluster: Cluster, trouble: Trouble, { begin, end, without }: Period): number {
	const random = world.random.fork('faults');
	const ofKind = cluster.members.filter(({ kind }) => trouble.of === undefined || kind === trouble.of);
	const ofMachine = ofKind.filter(({ machine }) => trouble.machine === undefined || machine === trouble.machine);
	const members = ofMachine.length > 0 ? ofMachine : ofKind;
	const { together, longest, commands } = trouble;
	const reach = { members, together, longest, commands, end };
	let planned = 0;
	for (let at = begin + random.exponential(trouble.pause); at < end; at += random.exponential(trouble.pause)) {
		const name = random.pick(trouble.kinds);
		const own = random.fork(`${at}`);
		if (without.has(planned++)) continue;
		const strike = (all: readonly Member[]) => {
			const met = trouble.atOnce && !trouble.together ? onOneMachine(own, all) : all;
			for (const kind of trouble.atOnce ? trouble.kinds : [name]) {
				cluster.faults.set(kind, (cluster.faults.get(kind) ?? 0) + 1);
				faults[kind]!(world, cluster, own, { ...reach, members: met });
			}
		};
		world.agenda.at(at, () => {
			if (trouble.moment === 'any') strike(members);
			else halfDone(world, cluster, own, { ...reach, isWrite: trouble.moment === 'write' }, strike);
		});
	}
	world.agenda.at(end, () => {
		cluster.storeFates.clear();
		cluster.mongo.onDone.clear();
		cluster.busFate = () => 'delivered';
		for (const member of cluster.members) if (!member.process.alive && !member.gone) cluster.restart(member);
		world.tell('the world', 'has no more faults');
	});
	return planned;
}

/** From `begin` to `end`, in ms of the world, without those of these numbers */
interface Period {
	begin: number;
	end: number;
	without: ReadonlySet<number>;
}

const OFTEN: Record<string, number> = {
	'lost answers': 4,
	'lost messages': 3,
	'slow store': 5,
	stragglers: 4,
	freeze: 2,
	kill: 4,
	stall: 2,
	'clock jump': 2,
};

const faults: Record<string, Fault> = {
	...storeFaults,

	kill(world, cluster, random, reach) {
		for (const member of struck(random, reach)) {
			if (!member.process.alive) continue;
			cluster.kill(member);
			startAgain(world, cluster, member, random, reach);
		}
	},

	stop(world, cluster, random, reach) {
		for (const member of struck(random, reach)) {
			if (!member.process.alive) continue;
			cluster.stop(member);
			member.process.onEnd.push(() => startAgain(world, cluster, member, random, reach));
		}
	},

	freeze(world, cluster, random, reach) {
		const { mongo, redis, nats } = cluster.servers;
		const members = struck(random, reach).map(({ process }) => process);
		const ms = until(world, random, reach) - world.agenda.now;
		for (const process of random.chance(0.75) ? members : [random.pick([mongo, redis, nats])]) {
			if (!process.alive) continue;
			process.freeze(ms);
			if (process.name.startsWith('gateway')) {
				cluster.outages.push({ from: world.agenda.now, to: world.agenda.now + ms });
			}
			world.tell(process.name, `stands still for ${ms.toFixed(0)} ms`);
		}
	},

	/** Nothing arrives from one at the other for a while; the way back is drawn apart. */
	stall(world, _cluster, random, reach) {
		const server = random.pick(['mongo', 'nats', 'redis']);
		const stalledUntil = until(world, random, reach);
		const ways = random.pick([['there'], ['back'], ['there', 'back']]);
		for (const { name } of struck(random, reach)) {
			for (const way of ways) {
				const [from, to] = way === 'there' ? [name, server] : [server, name];
				world.network.fault(from, to, { stalledUntil });
				world.tell(from, `reaches ${to} no more until ${(stalledUntil / 1000).toFixed(3)} s`);
			}
		}
	},

	reset(world, _cluster, random, reach) {
		const server = random.pick(['mongo', 'nats', 'redis']);
		for (const { name } of struck(random, reach)) {
			world.tell(name, `loses its connections to ${server}`);
			world.network.reset(name, server);
		}
	},

	/** Of a machine: where it is wrong, it is often set right. */
	'clock jump'(_world, cluster, random, { members, together }) {
		const met = together ? members : onOneMachine(random, members);
		const ahead = met[0]!.clockAhead;
		const isSetRight = Math.abs(ahead) > A_LITTLE && random.chance(0.5);
		const ms = isSetRight ? -ahead : random.pick([-HOUR, HOUR, -HOUR, HOUR, -5_000, 5_000]);
		for (const member of met) {
			if (Math.abs(member.clockAhead + ms) <= 4 * HOUR) cluster.setClock(member, ms);
		}
	},

	'lost messages'(world, cluster, random, reach) {
		const often = (most: number) => (random.chance(0.6) ? random.next() * most : 0);
		const [lost, late] = [often(0.2), often(0.3)];
		const chance = random.fork('fates');
		const names = new Set(reach.members.map(({ name }) => name));
		const fate: Cluster['busFate'] = (from, to) => {
			if (!names.has(from) && !names.has(to)) return 'delivered';
			if (chance.chance(lost)) return 'lost';
			return chance.chance(late) ? { later: chance.exponential(300) } : 'delivered';
		};
		cluster.busFate = fate;
		world.tell('nats', 'loses messages from now on');
		world.agenda.at(until(world, random, reach), () => {
			if (cluster.busFate !== fate) return; // another fault has come after it
			cluster.busFate = () => 'delivered';
			world.tell('nats', 'is well again');
		});
	},

	failover(world, cluster, random, reach) {
		const ms = until(world, random, reach) - world.agenda.now;
		world.tell('mongo', `has no primary for ${ms.toFixed(0)} ms`);
		cluster.mongo.failOver(ms);
	},

	'nats restart'(world) {
		world.tell('nats', 'is started again');
		world.network.resetAll('nats');
	},

	'redis restart'(world, cluster) {
		world.tell('redis', 'is started again');
		cluster.redis.flush();
		world.network.resetAll('redis');
	},

	flush(world, cluster) {
		cluster.redis.flush();
		world.tell('redis', 'forgets everything');
	},
};

/** By name, with how often each is drawn beside the others: most of all what takes something from one only */
export const KINDS = Object.keys(faults).map((name) => [name, OFTEN[name] ?? 1] as const);

/** ms by which clocks are always wrong */
const A_LITTLE = 10_000;

/** How likely a process does not come back that others can do without */
const GONE = 0.4;

/**
 * Strikes a process that has just read or written something: where it is half done with what it does, or rests on what is
 * not so any more. Often it is about one collection, each that is asked about now as likely as any other.
 */
function halfDone(
	world: World,
	{ mongo }: Cluster,
	random: Random,
	{ members, together, end, isWrite }: Reach & { isWrite: boolean },
	strike: (met: readonly Member[]) => void,
): void {
	const only = random.chance(0.5) ? collectionOf(mongo, random, { members, writes: isWrite, byUse: false }) : undefined;
	const tell = (client: string, collection: string, wasWrite: boolean) => {
		const member = members.find(({ name }) => name === client);
		if (member === undefined || wasWrite !== isWrite || (only ?? collection) !== collection) return;
		mongo.onDone.delete(tell);
		const at = world.agenda.now + random.exponential(3);
		if (at < end) world.agenda.at(at, () => strike(together ? members : [member]));
	};
	mongo.onDone.add(tell);
}

/** After a while; or never, where others do its work. */
function startAgain(world: World, cluster: Cluster, member: Member, random: Random, { longest, end }: Reach): void {
	if (cluster.isSpare(member) && random.chance(GONE)) {
		member.gone = true;
		world.tell(member.name, 'is not needed any more');
		return;
	}
	world.agenda.at(Math.min(world.agenda.now + random.between(100, Math.max(1_000, longest / 2)), end), () => {
		if (!member.process.alive) cluster.restart(member);
	});
}
