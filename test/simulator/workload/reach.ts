import type { Cluster, Member } from '../cluster.ts';
import type { Random } from '../world/random.ts';
import type { World } from '../world/world.ts';

/** Whom a world's faults meet, and for how long */
export interface Reach {
	members: readonly Member[];
	/** Whether a fault meets all of them at once, as one of their machine does */
	together: boolean;
	/** ms */
	longest: number;
	/** What faults of the store are about; where undefined, each draws it */
	commands?: { collection: string; writes: boolean } | undefined;
	/** ms of the world at which all is mended */
	end: number;
}

export type Fault = (world: World, cluster: Cluster, random: Random, reach: Reach) => void;

/** Most last a part of the longest only, some as long. */
export function until({ agenda }: World, random: Random, { longest, end }: Reach): number {
	const most = random.chance(0.5) ? longest : longest / 5;
	return Math.min(agenda.now + random.between(most / 10, most), end);
}

/** One of those that faults meet, or all of them. */
export function struck(random: Random, { members, together }: Reach): readonly Member[] {
	return together ? members : [random.pick(members)];
}

/** Of a machine that is drawn: what happens to it happens to these. */
export function onOneMachine(random: Random, members: readonly Member[]): readonly Member[] {
	const { machine } = random.pick(members);
	return members.filter((member) => member.machine === machine);
}

/**
 * A collection that these processes ask about now.
 * @param writes whether they write to it or read it; undefined: one or the other
 * @param byUse the likelier the more often they do
 */
export function collectionOf(
	{ lately }: Cluster['mongo'],
	random: Random,
	{ members, writes, byUse }: { members: readonly Member[]; writes: boolean | undefined; byUse: boolean },
): string | undefined {
	const asked = lately.filter(
		({ client, isWrite }) => (writes ?? isWrite) === isWrite && members.some(({ name }) => name === client),
	);
	const names = asked.map(({ collection }) => collection);
	return names.length === 0 ? undefined : random.pick(byUse ? names : [...new Set(names)]);
}
