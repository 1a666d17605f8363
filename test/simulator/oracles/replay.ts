import { replayFeed } from '../../support/replay-feed.ts';
import type { Evidence, Finding, Oracle } from './evidence.ts';

/** Whoever replays an account's feed never counts one booking too many, or a customer twice (`replay-feed.ts`). */
export const replay: Oracle = ({ atRest, tenants, history }: Evidence): Finding[] => {
	const maxima = new Map(tenants.flatMap(({ maxima: own }) => [...own]));
	return atRest.flatMap(({ events }, account) =>
		replayFeed(events, (slot) => maxima.get(slot)?.most).map(({ rule, what, bookings }) => ({
			rule: `the feed keeps to the ${rule === 'capacity' ? 'maximum' : 'rule of one booking a customer'}`,
			what: `account ${account}, ${what}`,
			operations: history.operations.filter(({ path, answer }) => {
				const id = (answer?.body as { data?: { id?: number } } | undefined)?.data?.id;
				const named = Number(/^\/v1\/bookings\/(\d+)/.exec(path)?.[1] ?? (path === '/v1/bookings' ? id : undefined));
				return bookings.includes(named);
			}),
		})),
	);
};
