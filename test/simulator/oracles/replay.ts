import { replayFeed } from '../../support/replay-feed.ts';
import type { Oracle } from './evidence.ts';
import { about } from './order.ts';

/** Whoever replays an account's feed never counts one booking too many, or a customer twice (`replay-feed.ts`). */
export const replay: Oracle = (evidence) => {
	const maxima = new Map(evidence.tenants.flatMap(({ maxima: own }) => [...own]));
	return evidence.atRest.flatMap(({ events }, account) =>
		replayFeed(events, (slot) => maxima.get(slot)?.most).map(({ rule, what, bookings }) => ({
			rule: `the feed keeps to the ${rule === 'capacity' ? 'maximum' : 'rule of one booking a customer'}`,
			what: `account ${account}, ${what}`,
			operations: bookings.flatMap((id) => about(evidence, id)),
		})),
	);
};
