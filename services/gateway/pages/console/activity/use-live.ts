import { useEffect } from 'preact/hooks';
import { delay, get } from '../api/client.ts';
import { isExpired } from '../api/failures.ts';
import { changes } from '../api/session.ts';
import type { EventList } from '../api/shapes.ts';
import { endOfFeed, WAIT } from './follow.ts';

/** ms between two looks at what others change: the first, and the longest, while changes go on */
const [SOONEST, LATEST] = [1_000, 30_000];
/** ms without a change after which the next one is shown soon */
const QUIET = 5_000;
/** ms after which somebody who does nothing here is taken to be away, and between two looks then: each is a request of the plan */
const AWAY = 300_000;
const SIGNS = ['pointerdown', 'pointermove', 'keydown', 'wheel'] as const;

/**
 * What is shown is read again after others have changed it: bookings by the feed of events, at once while somebody is at
 * this tab, else within minutes; everything, when they come back to it.
 */
export function useLive(): void {
	useEffect(() => {
		let looking = new AbortController();
		let sign = performance.now();
		const isAway = () => performance.now() - sign > AWAY;
		const look = () => {
			looking.abort();
			looking = new AbortController();
			if (!document.hidden) watch(looking.signal, isAway).catch(() => {}); // which ends with its signal
		};
		const comeBack = () => {
			sign = performance.now();
			if (!document.hidden) changes.value++;
			look();
		};
		const notice = () => {
			if (isAway()) comeBack();
			else sign = performance.now();
		};
		look();
		document.addEventListener('visibilitychange', comeBack);
		for (const name of SIGNS) document.addEventListener(name, notice, { passive: true });
		return () => {
			document.removeEventListener('visibilitychange', comeBack);
			for (const name of SIGNS) document.removeEventListener(name, notice);
			looking.abort();
		};
	}, []);
}

async function watch(signal: AbortSignal, isAway: () => boolean): Promise<void> {
	let pause = SOONEST;
	let isGone = false;
	for (let end: number | undefined; ; ) {
		try {
			const after: number = end ?? (await endOfFeed(signal));
			end = after;
			if (isGone) changes.value++;
			isGone = false;
			const asked = performance.now();
			if (isAway()) await delay(AWAY, signal);
			const wait = isAway() ? 0 : WAIT;
			const { events } = await get<EventList>('/v1/events', { after, wait, limit: 1 }, signal);
			const isQuiet = performance.now() - asked > QUIET;
			if (events.length === 0) continue;
			pause = isQuiet ? SOONEST : Math.min(2 * pause, LATEST);
			await delay(pause, signal);
			end = await endOfFeed(signal);
			changes.value++;
		} catch (error) {
			await delay(isExpired(error) ? SOONEST : LATEST, signal);
			if (!isExpired(error)) continue;
			isGone = true;
			end = undefined;
		}
	}
}
