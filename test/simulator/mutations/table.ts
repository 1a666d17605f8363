import { changes } from './changes.ts';
import { documents } from './documents.ts';
import { lock } from './lock.ts';
import { log } from './log.ts';
import type { Mutation } from './mutation.ts';
import { quota } from './quota.ts';
import { seats } from './seats.ts';
import { slotsAndStore } from './slots-and-store.ts';

/** Conditions that are dropped, orders that are swapped, errors that nobody looks at. */
export const mutations: readonly Mutation[] = [
	...documents,
	...seats,
	...changes,
	...quota,
	...lock,
	...log,
	...slotsAndStore,
];
