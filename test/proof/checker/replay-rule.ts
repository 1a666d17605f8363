import { replayFeed } from '../../support/replay-feed.ts';
import type { History } from '../history.ts';
import type { Maxima } from './maxima.ts';
import type { Findings } from './violation.ts';

const [FIRST, LAST] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

/** Whoever replays the feed counts at no event more than the highest maximum that the slot ever had, or two of a customer. */
export function checkReplay({ final }: History, maxima: Map<number, Maxima>, findings: Findings): void {
	for (const { what } of replayFeed(final.events, (slot) => maxima.get(slot)?.highest(FIRST, LAST))) findings.add(what);
}
