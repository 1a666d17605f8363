import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Crowds } from '../../services/booking/document/crowds.ts';
import { occurrenceKey } from '../../services/booking/document/keys.ts';
import { type Claim, SeatQueue, type SeatQueueDependencies } from '../../services/booking/seats/seat-queue.ts';
import type { AccountKey } from '../../shared/contract/actions/common.ts';
import type { SlotNow } from '../../shared/contract/actions.ts';
import { NO_RULES } from '../../shared/contract/schemas/rules.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import type { Lease } from '../../shared/lock/fair-lock.ts';
import { Deadline } from '../../shared/work/deadline.ts';
import { until } from '../support/until.ts';
import { ACCOUNT, MONDAY, noLock, outcome } from './engines.ts';

/** A queue of claims whose slots are told one by one. */
class Scene {
	/** Slots that were asked for and not yet told */
	readonly asked: number[] = [];
	/** Occurrences whose lock was given back */
	readonly released: string[] = [];
	readonly #waiting = new Map<number, (now: SlotNow | Error) => void>();
	readonly #seats: SeatQueue;

	/** @param groupLasts ms that a group is waited for; by default as long as the product waits */
	constructor(groupLasts?: number) {
		const dependencies: SeatQueueDependencies = {
			slot: ({ time_slot_id }) =>
				new Promise((resolve, reject) => {
					this.asked.push(time_slot_id);
					this.#waiting.set(time_slot_id, (told) => (told instanceof Error ? reject(told) : resolve(told)));
				}),
			occupants: async () => [],
			crowds: {} as Crowds, // of which none is here
			now: Date.now,
			expire: async () => {},
			reserve: async (_, count) => ({ granted: count, month: '2026-11' }),
			refund: () => {},
		};
		const acquire = async (key: AccountKey): Promise<Lease> => ({
			key,
			remaining: () => 5_000,
			lasts: () => true,
			release: async () => this.released.push(key) > 0,
		});
		this.#seats = new SeatQueue({ ...noLock, acquire }, dependencies, groupLasts);
	}

	claim(...time_slot_ids: number[]): Promise<string>[] {
		return time_slot_ids.map((id) => this.make(claimOf(id)));
	}

	make(claim: Claim): Promise<string> {
		return outcome(this.#seats.claim(claim));
	}

	/** Tells of slots with room for one, or of none where there is an error. */
	tell(time_slot_ids: number[], error?: Error): void {
		for (const id of time_slot_ids) {
			this.asked.splice(this.asked.indexOf(id), 1);
			this.#waiting.get(id)!(
				error ?? {
					slot: { id, max_bookings: 1 } as TimeSlot,
					timezone: 'UTC',
					rules: NO_RULES,
					override: null,
					overrides_changed_at: null,
				},
			);
		}
	}

	/** Tells of each slot whenever it is asked for, until these claims have their answers. */
	async answersTo(claims: Promise<string>[]): Promise<string[]> {
		let answers: string[] | undefined;
		void Promise.all(claims).then((all) => (answers = all));
		while (answers === undefined) {
			this.tell([...this.asked]);
			await turn();
		}
		return answers;
	}

	/** Until whatever can happen without an answer has happened. */
	async settle(): Promise<void> {
		for (let turns = 0; turns < 10; turns++) await turn();
	}
}

function claimOf(time_slot_id: number, more: Partial<Claim> = {}): Claim {
	return {
		movedId: undefined,
		customerKey: null,
		account_id: ACCOUNT,
		time_slot_id,
		date: MONDAY,
		deadline: new Deadline(60_000),
		quota: null,
		assertSlot: () => {},
		prepare: async () => {},
		write: async () => 'written',
		...more,
	};
}

test('When two groups of occurrences are under way, then all that come meanwhile set out together after the first of them', async () => {
	const scene = new Scene(60_000);
	const first = scene.claim(1, 2);
	await scene.settle();
	const second = scene.claim(3);
	await scene.settle();
	const third = scene.claim(4, 5);
	await scene.settle();
	expect(scene.asked).toEqual([1, 2, 3]);

	scene.tell([1]);
	await scene.settle();
	expect(await first[0]).toBe('ok');
	expect(scene.released).toEqual([occurrenceKey(claimOf(1))]); // nobody waits for it because the group is not through
	expect(scene.asked).toEqual([2, 3]);

	scene.tell([2]);
	await scene.settle();
	expect(scene.asked).toEqual([3, 4, 5]);
	scene.tell([3, 4, 5]);
	expect(await Promise.all([...first, ...second, ...third])).toEqual(Array(5).fill('ok'));
});

test('When one occurrence of a group fails, then the others are served', async () => {
	const scene = new Scene();
	const claims = scene.claim(1, 2);
	await scene.settle();
	scene.tell([1], new Error('no answer'));
	await scene.settle();
	scene.tell([2]);
	expect(await Promise.all(claims)).toEqual(['no answer', 'ok']);
});

test('When two groups of occurrences get no answer, then others are served all the same', async () => {
	const scene = new Scene();
	const stuck = scene.claim(1);
	await scene.settle();
	stuck.push(...scene.claim(2));
	await scene.settle();
	const [served] = scene.claim(3);
	await until(() => scene.asked.includes(3), { what: 'the third one to set out' });
	scene.tell([3]);
	expect(await served).toBe('ok');
	scene.tell([1, 2]);
	expect(await Promise.all(stuck)).toEqual(['ok', 'ok']);
});

test.each([
	['full', null],
	['a duplicate', 'ada'],
])(
	'When a claim is refused as %s because of one that is not written after all, then it gets the place',
	async (_, customerKey) => {
		const scene = new Scene();
		const write = () => Promise.reject(new Error('no answer'));
		const claims = [claimOf(1, { customerKey, write }), claimOf(1, { customerKey })].map((claim) => scene.make(claim));
		expect(await scene.answersTo(claims)).toEqual(['no answer', 'ok']);
	},
);
