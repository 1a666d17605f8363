import type { Cluster, Member } from '../cluster.ts';
import type { Fate, StoreFaults } from '../servers/mongo-server.ts';
import type { Random } from '../world/random.ts';
import type { World } from '../world/world.ts';
import { HOUR, type Trouble } from './shape.ts';

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
	const reach = { members, together: trouble.together, longest: trouble.longest, end };
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

/** Whom a world's faults meet, and for how long */
interface Reach {
	members: readonly Member[];
	/** Whether a fault meets all of them at once, as one of their machine does */
	together: boolean;
	/** ms */
	longest: number;
	/** ms of the world at which all is mended */
	end: number;
}

type Fault = (world: World, cluster: Cluster, random: Random, reach: Reach) => void;

const OFTEN: Record<string, number> = {
	'lost answers': 4,
	'lost messages': 3,
	'slow store': 4,
	freeze: 2,
	kill: 4,
	stall: 2,
	'clock jump': 2,
};

const faults: Record<string, Fault> = {
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

	/** Of all processes, or of one: then what another one does in between is seen. */
	'lost answers'(world, cluster, random, reach) {
		const ways = Array.from({ length: 1 + random.integer(3) }, () => random.pick(WAYS_TO_LOSE));
		const part = random.pick(PARTS) / ways.length;
		const ms = random.pick([20, 200, 2_000, 2_000]);
		const meets = commandsOf(cluster, random, reach);
		const chance = random.fork('fates');
		const fate: StoreFaults['fate'] = (client, _command, collection, isWrite) => {
			if (!meets.has(client, collection, isWrite)) return {};
			const met = ways.find(() => chance.chance(part));
			return met?.(chance, ms, isWrite) ?? {};
		};
		world.tell('mongo', `loses commands and answers${meets.text} from now on`);
		letStore(fate, world, cluster, random, reach);
	},

	/** Nothing is lost; what usually happens at once takes its time. */
	'slow store'(world, cluster, random, reach) {
		const [part, ms] = [random.pick(PARTS), random.pick([10, 100, 1_000])];
		const meets = commandsOf(cluster, random, reach);
		const chance = random.fork('fates');
		const fate: StoreFaults['fate'] = (client, _command, collection, isWrite) => {
			if (!meets.has(client, collection, isWrite) || !chance.chance(part)) return {};
			return { late: chance.exponential(ms) };
		};
		world.tell('mongo', `is slow for commands${meets.text} from now on`);
		letStore(fate, world, cluster, random, reach);
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

/**
 * Of the commands that a fault is about, how many it meets: where it is nearly all, what they belong to is slow or lost as
 * a whole; where it is one in thirty, that one meets all that went on without it.
 */
const PARTS = [0.03, 0.1, 0.3, 0.7] as const;

/** ms by which clocks are always wrong */
const A_LITTLE = 10_000;

/** How likely a process does not come back that others can do without */
const GONE = 0.4;

/** Most last a part of the longest only, some as long. */
function until({ agenda }: World, random: Random, { longest, end }: Reach): number {
	const most = random.chance(0.5) ? longest : longest / 5;
	return Math.min(agenda.now + random.between(most / 10, most), end);
}

/**
 * How a command or its answer is lost, at which moment of it; most often it lands when nobody waits for it any more. What is
 * only read has no effect that could come late.
 */
const WAYS_TO_LOSE: readonly ((chance: Random, ms: number, isWrite: boolean) => Fate)[] = [
	() => ({ lostBefore: true }),
	() => ({ lostAfter: true }),
	(chance, ms) => ({ toldLate: chance.exponential(ms), lostAfter: true }),
	...Array.from({ length: 3 }, () => (chance: Random, ms: number, isWrite: boolean): Fate => {
		return isWrite ? { late: chance.exponential(ms), lostMeanwhile: true } : {};
	}),
	(chance, ms, isWrite) => (isWrite ? { late: chance.exponential(ms), lostAfter: chance.chance(0.5) } : {}),
	(_chance, _ms, isWrite) => (isWrite ? { deadlock: true } : {}),
];

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
	const only = random.chance(0.5) ? collectionOf(mongo, members, random, false) : undefined;
	const tell = (client: string, collection: string, wasWrite: boolean) => {
		const member = members.find(({ name }) => name === client);
		if (member === undefined || wasWrite !== isWrite || (only ?? collection) !== collection) return;
		mongo.onDone.delete(tell);
		const at = world.agenda.now + random.exponential(3);
		if (at < end) world.agenda.at(at, () => strike(together ? members : [member]));
	};
	mongo.onDone.add(tell);
}

/** One that these processes ask about now. @param byUse the likelier the more often they do */
function collectionOf(
	{ lately }: Cluster['mongo'],
	members: readonly Member[],
	random: Random,
	byUse: boolean,
): string | undefined {
	const asked = lately.filter(({ client }) => members.some(({ name }) => name === client));
	const names = asked.map(({ collection }) => collection);
	return names.length === 0 ? undefined : random.pick(byUse ? names : [...new Set(names)]);
}

/** One of those that faults meet, or all of them. */
function struck(random: Random, { members, together }: Reach): readonly Member[] {
	return together ? members : [random.pick(members)];
}

/** Of a machine that is drawn: what happens to it happens to these. */
function onOneMachine(random: Random, members: readonly Member[]): readonly Member[] {
	const { machine } = random.pick(members);
	return members.filter((member) => member.machine === machine);
}

/**
 * Which commands to the store a fault meets: of those in its reach, or of one; about all collections, or about one that is
 * asked about now; reads, writes, or both.
 */
function commandsOf({ mongo }: Cluster, random: Random, { members }: Reach) {
	const only = random.chance(0.4) ? [random.pick(members)] : members;
	const names = new Set(only.map(({ name }) => name));
	const collection = random.chance(0.4) ? collectionOf(mongo, only, random, random.chance(0.5)) : undefined;
	const writes = random.chance(0.4) ? random.chance(0.5) : undefined;
	const which = writes === undefined ? '' : writes ? ', writes only,' : ', reads only,';
	return {
		has: (client: string, about: string, isWrite: boolean) =>
			names.has(client) && (collection ?? about) === about && (writes ?? isWrite) === isWrite,
		text: ` of ${[...names].join(', ')}${which}${collection === undefined ? '' : ` about ${collection}`}`,
	};
}

function letStore(fate: StoreFaults['fate'], world: World, cluster: Cluster, random: Random, reach: Reach): void {
	cluster.storeFates.add(fate);
	world.agenda.at(until(world, random, reach), () => {
		if (!cluster.storeFates.delete(fate) || cluster.storeFates.size > 0) return;
		world.tell('mongo', 'is well again');
	});
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
