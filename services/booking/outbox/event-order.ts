import type { NewEvent } from '../../../shared/contract/actions.ts';

/** An event on its way to the log, with the keys (`heldKeys`) that its change took, and gave up. */
export interface Leaving {
	event: NewEvent;
	took: readonly string[];
	gaveUp: readonly string[];
	/** As in an outbox (`OutboxEntry`) */
	turn: number;
	/** It took something that others may have given up of whom nothing is known here: it cannot be told yet. */
	mustWait?: boolean;
}

/** One of the events that leave together. */
interface Step extends Leaving {
	/** When it happened, but not before an earlier change of its booking, whatever the clocks of those who made them say */
	at: string;
	/** What goes before it, and what it goes before */
	behind: Step[];
	ahead: Step[];
	isTold: boolean;
}

/** The time for which a booking had a key, as far as the events tell. */
interface Tenancy {
	/** Undefined where it was told earlier */
	from?: Step;
	/** Undefined where it has the key still */
	to?: Step;
}

/**
 * The events of some bookings in an order that happened: a booking's own as they came, and whoever takes a seat, or a customer's
 * place, behind whoever gave it up. All else by time. So who replays them never counts one booking too many.
 * @param outboxes a booking's events each, oldest first
 * @param others the same of other bookings, of which only what goes before those is told
 * @returns without what must wait, and what has to go behind that
 */
export function inOrder(outboxes: readonly Leaving[][], others: readonly Leaving[][] = []): NewEvent[] {
	const own = outboxes.map(stepsOf);
	const all = [...own, ...others.map(stepsOf)];
	const areLinked = link(all);
	const wanted = reach(own.flat(), ({ behind }) => behind);
	const waiting = reach(
		all.flat().filter(({ mustWait }) => mustWait),
		({ ahead }) => ahead,
	);
	const queues = all.map((steps) => steps.filter((step) => wanted.has(step) && !waiting.has(step)));
	const steps = areLinked ? merged(queues) : queues.flat().sort(byTime);
	return steps.map(({ event }) => event);
}

function stepsOf(outbox: readonly Leaving[]): Step[] {
	let at = '';
	const steps = outbox.map((leaving) => {
		if (leaving.event.timestamp > at) at = leaving.event.timestamp;
		return { ...leaving, at, behind: [], ahead: [], isTold: false };
	});
	for (const [index, step] of steps.entries()) if (index > 0) putBehind(step, steps[index - 1]!);
	return steps;
}

function putBehind(step: Step, before: Step): void {
	step.behind.push(before);
	before.ahead.push(step);
}

/** Some steps, and all that one comes to from them. */
function reach(from: Iterable<Step>, next: (step: Step) => Step[]): Set<Step> {
	const reached = new Set(from);
	for (const step of reached) for (const other of next(step)) reached.add(other); // also of those that are added here
	return reached;
}

function byTime(one: Step, other: Step): number {
	return one.at < other.at ? -1 : Number(one.at > other.at);
}

/**
 * Puts each step that takes a key behind those that gave it up before: by turns; who has a key still has it last. What the log has
 * may be sent once more, and its turns are of another time: who is behind that is behind what goes before it as well, unless that is
 * itself behind it.
 * @returns whether there are any such steps
 */
function link(queues: readonly Step[][]): boolean {
	let areLinked = false;
	for (const tenancies of tenanciesOf(queues).values()) {
		if (tenancies.length === 1) continue;
		const byTurn = [...Map.groupBy(tenancies, turnOf)].sort(([one], [other]) => (one < other ? -1 : 1));
		let before: Step[] = [];
		for (const [, group] of byTurn) {
			for (const { from } of group) {
				if (from === undefined || before.length === 0) continue;
				for (const step of before) putBehind(from, step);
				areLinked = true;
			}
			const ends = group.flatMap(({ to }) => to ?? []);
			before = group.every(({ from }) => from !== undefined) ? ends : [...before, ...ends];
		}
	}
	return areLinked;
}

function tenanciesOf(queues: readonly Step[][]): Map<string, Tenancy[]> {
	const all = new Map<string, Tenancy[]>();
	const begin = (key: string, from?: Step): Tenancy => {
		const tenancy = from === undefined ? {} : { from };
		const others = all.get(key);
		if (others === undefined) all.set(key, [tenancy]);
		else others.push(tenancy);
		return tenancy;
	};
	for (const steps of queues) {
		const open = new Map<string, Tenancy>();
		for (const step of steps) {
			for (const key of step.gaveUp) {
				(open.get(key) ?? begin(key)).to = step;
				open.delete(key);
			}
			for (const key of step.took) open.set(key, begin(key, step));
		}
	}
	return all;
}

function turnOf({ to }: Tenancy): number {
	return to?.turn ?? Number.POSITIVE_INFINITY;
}

/**
 * Each booking's steps in their order, the earliest first of those that nothing has to go before. There is always one, unless what
 * an earlier version wrote says too little: then the earliest goes first.
 */
function merged(queues: readonly Step[][]): Step[] {
	const waiting = queues.filter((steps) => steps.length > 0).map((steps) => ({ steps, next: 0 }));
	const told: Step[] = [];
	while (waiting.length > 0) {
		let best = 0;
		let isBestFree = false;
		for (const [index, { steps, next }] of waiting.entries()) {
			const step = steps[next]!;
			const isFree = step.behind.every(({ isTold }) => isTold);
			const isEarlier = byTime(step, waiting[best]!.steps[waiting[best]!.next]!) < 0;
			if (isFree === isBestFree ? !isEarlier : isBestFree) continue;
			best = index;
			isBestFree = isFree;
		}
		const chosen = waiting[best]!;
		const step = chosen.steps[chosen.next++]!;
		step.isTold = true;
		told.push(step);
		if (chosen.next === chosen.steps.length) waiting.splice(best, 1);
	}
	return told;
}
