import { drawLimits, type SmallLimits } from '../limits.ts';
import type { Random } from '../world/random.ts';
import { aboutIt, COINCIDENCES } from './coincidences.ts';
import { KINDS } from './faults.ts';
import { drawBy, drawMix, type Mix } from './mix.ts';

/** What a world is made of. */
export interface Shape {
	/** Processes of each kind, by the kind's name */
	processes: Readonly<Record<string, number>>;
	/** Limits of the product that are small here */
	limits: SmallLimits;
	/** How likely each is wrong by an hour, or ms by which those of one machine are ahead of all others */
	clocks: { wrong: number; odd?: { machine: number; ahead: number } };
	accounts: number;
	/** Of each account */
	clients: number;
	/** ms of the world's time with load and faults */
	lasts: number;
	mix: Mix;
	trouble: Trouble;
	/** The coincidence that it is about, by name */
	about?: string;
}

/** What may go wrong, how often, and with whom */
export interface Trouble {
	/** Kinds of faults, by name */
	kinds: readonly string[];
	/** ms between two faults, in the mean */
	pause: number;
	/** Kind of processes that faults meet; undefined: all */
	of: string | undefined;
	/** Number of the only machine whose processes they meet; undefined: all */
	machine: number | undefined;
	/** Whether it meets a process that has just read or written something, or anybody at any time */
	moment: 'any' | 'read' | 'write';
	/** Whether it meets all of them at once */
	together: boolean;
	/** Whether all kinds happen at the same moment, as where a machine restarts, or one of them each time */
	atOnce: boolean;
	/** The only commands that faults of the store meet; undefined: each draws its own */
	commands?: { collection: string; writes: boolean };
	/** ms that a fault lasts at most */
	longest: number;
}

export const HOUR = 3_600_000;

/** The kind of processes that serve a subject of the reference; all others are served by `core`. `log` may be a part of that. */
const SERVED_BY: Readonly<Record<string, string>> = {
	Services: 'catalog',
	'Time slots': 'catalog',
	Bookings: 'booking',
	Events: 'log',
	Webhooks: 'log',
};

/** How likely the event log has processes of its own: it can be away while all else goes on */
const APART = 0.3;
/** How likely a world is about something that went wrong once */
const ABOUT_ONE = 0.5;

/** Of all clients in a world, about: a long one has its requests further apart, and costs as much as a short one */
const REQUESTS = 250;
/** The same where many clients ask at once: there each costs less, for the product does many together */
const REQUESTS_OF_CROWDS = 500;

/** How likely each part of a world is narrow, world by world */
const NARROWNESS = [0.1, 0.6, 0.8, 0.9] as const;

/**
 * Draws what a world consists of. Where all that can happen happens, each coincidence is rare; so most worlds leave out
 * most of it, each another part: a few operations, a few bookings, one kind of fault with one kind of process. What is
 * left then meets itself all the time (swarm testing: Groce and others, ISSTA 2012; FoundationDB does the same).
 * @param lasts ms; drawn, too, where it is undefined
 */
export function drawShape(random: Random, lasts: number | undefined): Shape {
	const narrowness = random.pick(NARROWNESS);
	/** One or the other, each with chance of its own, so that a change of one part leaves the others as they were */
	const part = <T>(name: string, narrow: (random: Random) => T, wide: (random: Random) => T): T => {
		const own = random.fork(name);
		return own.chance(narrowness) ? narrow(own) : wide(own);
	};
	const few = (own: Random, most: number) => 1 + own.integer(most);
	const accounts = part(
		'accounts',
		() => 2,
		() => 3,
	);
	/** By how many times there are more clients, in less time, and as much more trouble */
	const crowd = part(
		'crowd',
		(own) => own.pick([1, 4, 10]),
		(own) => own.pick([1, 1, 4]),
	);
	const clients =
		crowd *
		part(
			'clients',
			(own) => few(own, 4),
			() => 3,
		);
	/** If one machine is not like the others, it is this one: its clock is wrong, and faults meet it. */
	const machine = random.fork('machine').integer(2);
	const longest = random.fork('longest').pick([500, 3_000, 15_000]);
	// So that something is asked for before, during and after the longest fault.
	const lengths = crowd > 1 ? [1_000, 2_000, 4_000] : [2_000, 4_000, 10_000];
	const length = lasts ?? random.fork('length').pick(lengths) + (longest > 4_000 ? longest : 0);
	const requests = crowd > 1 ? REQUESTS_OF_CROWDS : REQUESTS;
	const mix = drawMix(random.fork('mix'), part, (accounts * clients * length) / requests);
	const clocks = part<Shape['clocks']>(
		'clocks',
		(own) => {
			if (own.chance(0.5)) return { wrong: 0, odd: { machine, ahead: own.pick([HOUR, -HOUR]) } };
			return { wrong: own.pick([0, 0.6]) };
		},
		() => ({ wrong: 0.2 }),
	);
	const kinds = part(
		'kinds',
		(own) => someKinds(own, 4),
		(own) => someKinds(own, 5),
	);
	// What is wrong is set right some time.
	if (clocks.odd !== undefined && random.fork('set right').chance(0.6)) kinds.push('clock jump');
	const logs = random.fork('log').chance(APART) ? 1 + random.fork('logs').integer(2) : 0;
	/** A kind of which there are processes */
	const kindOf = (kind: string, own: Random) => {
		if (logs === 0) return kind === 'log' ? 'core' : kind;
		return kind === 'core' && own.chance(0.7) ? 'log' : kind;
	};
	const shape: Shape = {
		clocks,
		limits: part(
			'limits',
			(own) => drawLimits(own, own.pick([0, 0.15, 0.5])),
			() => new Map<string, number>(),
		),
		accounts,
		clients,
		lasts: length,
		mix,
		processes: {
			gateway: part(
				'gateways',
				() => 1,
				() => 2,
			),
			booking: part(
				'bookings',
				(own) => own.pick([1, 2, 2, 3]),
				() => 3,
			),
			catalog: part(
				'catalogs',
				(own) => own.pick([1, 1, 2]),
				() => 2,
			),
			core: part(
				'cores',
				(own) => own.pick([1, 2]),
				() => 2,
			),
			log: logs,
		},
		trouble: {
			kinds: [...new Set(kinds)],
			pause:
				part(
					'often',
					(own) => own.between(100, 800),
					(own) => own.between(300, 3_000),
				) / Math.min(crowd, 3),
			of: part(
				'whom',
				(own) => {
					if (mix.subject !== undefined && own.chance(0.7)) return kindOf(SERVED_BY[mix.subject] ?? 'core', own);
					return kindOf(own.pick(['booking', 'booking', 'booking', 'core', 'core', 'catalog', 'gateway']), own);
				},
				() => undefined,
			),
			machine: part(
				'who',
				() => machine,
				() => undefined,
			),
			moment: part<Trouble['moment']>(
				'moments',
				(own) => own.pick(['any', 'any', 'read', 'write']),
				(own) => own.pick(['any', 'any', 'any', 'write']),
			),
			together: part(
				'together',
				(own) => own.chance(0.4),
				() => false,
			),
			atOnce: part(
				'at once',
				(own) => own.chance(0.5),
				() => false,
			),
			longest,
		},
	};
	const own = random.fork('coincidence');
	return own.chance(ABOUT_ONE) ? aboutIt(own.pick(Object.keys(COINCIDENCES)), shape, own, lasts) : shape;
}

function someKinds(random: Random, most: number): string[] {
	const kinds = Array.from({ length: 1 + random.integer(most) }, () => drawBy(KINDS, random));
	return [...new Set(kinds)];
}

/** Draws a part of a world, narrow or wide. */
export type Part = <T>(name: string, narrow: (random: Random) => T, wide: (random: Random) => T) => T;
