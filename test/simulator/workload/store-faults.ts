import type { Cluster } from '../cluster.ts';
import type { Fate, StoreFaults } from '../servers/mongo-server.ts';
import type { Random } from '../world/random.ts';
import type { World } from '../world/world.ts';
import { collectionOf, type Fault, type Reach, until } from './reach.ts';

/** What goes wrong with commands to the store, and with their answers. */
export const storeFaults: Record<string, Fault> = {
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
		const [part, ms] = [random.pick(PARTS), random.pick([10, 100, 1_000, 1_000])];
		const meets = commandsOf(cluster, random, reach);
		const chance = random.fork('fates');
		const fate: StoreFaults['fate'] = (client, _command, collection, isWrite) => {
			if (!meets.has(client, collection, isWrite) || !chance.chance(part)) return {};
			return { late: chance.exponential(ms) };
		};
		world.tell('mongo', `is slow for commands${meets.text} from now on`);
		letStore(fate, world, cluster, random, reach);
	},

	/**
	 * A few commands lie somewhere on their way, for up to a minute, as in the socket of a server that stands still. They are
	 * carried out nevertheless: most often their client has given up by then, or has died.
	 */
	stragglers(world, cluster, random, reach) {
		const [part, ms] = [random.pick([0.1, 0.3, 1]), random.pick([1_000, 5_000, 20_000])];
		const meets = commandsOf(cluster, random, reach);
		const chance = random.fork('fates');
		const last = reach.end + LANDED_BY;
		let left = 1 + random.integer(3);
		const fate: StoreFaults['fate'] = (client, _command, collection, isWrite) => {
			if (!meets.has(client, collection, isWrite) || !chance.chance(part)) return {};
			if (--left === 0) cluster.storeFates.delete(fate);
			const most = chance.next() * (last - world.agenda.now);
			return { late: Math.min(chance.exponential(ms), most, MINUTE), lostMeanwhile: chance.chance(0.7) };
		};
		world.tell('mongo', `lets a few commands${meets.text} wait`);
		letStore(fate, world, cluster, random, reach);
	},
};

/**
 * Of the commands that a fault is about, how many it meets: where it is nearly all, what they belong to is slow or lost as
 * a whole; where it is one in thirty, that one meets all that went on without it.
 */
const PARTS = [0.03, 0.1, 0.3, 0.7] as const;

/** Faults of the store that are under way together */
const MOST_AT_ONCE = 3;

const MINUTE = 60_000;

/** ms after the last fault in which the last command lands; it is waited for before all is to be at rest. */
const LANDED_BY = 8_000;

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
 * Which commands to the store a fault meets: of those in its reach, or of one; about all collections, or about one that is
 * asked about now; reads, writes, or both.
 */
function commandsOf({ mongo }: Cluster, random: Random, { members, commands }: Reach) {
	const only = random.chance(0.4) ? [random.pick(members)] : members;
	const names = new Set(only.map(({ name }) => name));
	const writes = commands?.writes ?? (random.chance(0.5) ? random.chance(0.5) : undefined);
	const byUse = random.chance(0.5);
	const drawn = random.chance(0.6) ? collectionOf(mongo, random, { members: only, writes, byUse }) : undefined;
	const collection = commands?.collection ?? drawn;
	const which = writes === undefined ? '' : writes ? ', writes only,' : ', reads only,';
	return {
		has: (client: string, about: string, isWrite: boolean) =>
			names.has(client) && (collection ?? about) === about && (writes ?? isWrite) === isWrite,
		text: ` of ${[...names].join(', ')}${which}${collection === undefined ? '' : ` about ${collection}`}`,
	};
}

/** For a while. Where too many would come together, nothing went on any more: the oldest ends. */
function letStore(fate: StoreFaults['fate'], world: World, cluster: Cluster, random: Random, reach: Reach): void {
	const [oldest] = cluster.storeFates;
	if (oldest !== undefined && cluster.storeFates.size >= MOST_AT_ONCE) cluster.storeFates.delete(oldest);
	cluster.storeFates.add(fate);
	world.agenda.at(until(world, random, reach), () => {
		if (!cluster.storeFates.delete(fate) || cluster.storeFates.size > 0) return;
		world.tell('mongo', 'is well again');
	});
}
