import { describe, expect, test } from '@jest/globals';
import { ADMISSION, Admission } from '../../services/gateway/admission/admission.ts';

const { LIMIT, BURST, CALM, LULL } = ADMISSION;
const TARGET = '/v1/bookings/7';

class World {
	#now = 1_000;
	readonly admission = new Admission({ now: () => this.#now, monotonic: () => this.#now });

	pass(ms: number): void {
		this.#now += ms;
	}

	/** @returns how many of so many requests may begin */
	begin(count: number): number {
		return Array.from({ length: count }, () => this.admission.begin(TARGET)).filter(Boolean).length;
	}

	end(count: number): void {
		for (let ended = 0; ended < count; ended++) this.admission.end();
	}
}

describe('which requests are begun', () => {
	test('When 1,200 come at once, then all may begin, rush after rush', () => {
		const world = new World();
		for (let rush = 0; rush < 10; rush++) {
			expect(world.begin(1_200)).toBe(1_200);
			world.pass(LULL);
			world.end(1_200);
		}
		expect(world.admission.refused).toBe(0);
	});

	test('When more keep coming than are answered, then those beyond the limit are refused once the burst is used up', () => {
		const world = new World();
		expect(world.begin(LIMIT + BURST)).toBe(LIMIT + BURST);
		expect(world.begin(10)).toBe(0);
		world.end(BURST);
		expect(world.begin(1)).toBe(0);
		for (let round = 0; round < 1_000; round++) {
			world.pass(10);
			world.end(20);
			expect(world.begin(40)).toBe(20);
		}
		expect(world.admission.refused).toBe(10 + 1 + 20_000);
	});

	test('When an overloaded process has answered all at once, then the next ones are no rush yet', () => {
		const world = new World();
		world.begin(LIMIT + BURST + 1);
		world.end(LIMIT + BURST);
		world.pass(LULL - 1);
		expect(world.begin(1_200)).toBe(LIMIT);
	});

	test('When the load falls, then the first request after it may begin, and after a lull a rush again', () => {
		const world = new World();
		world.begin(LIMIT + BURST + 1);
		world.end(BURST + 1);
		expect(world.begin(1)).toBe(1);
		world.end(LIMIT - CALM + 1);
		world.pass(LULL);
		expect(world.begin(1)).toBe(1);
		expect(world.begin(1_200)).toBe(1_200);
	});

	test('When many are at work all the time, then there is no lull', () => {
		const world = new World();
		world.begin(LIMIT + BURST + 1);
		world.end(LIMIT + BURST - CALM);
		world.pass(10 * LULL);
		expect(world.begin(1_200)).toBe(LIMIT - CALM);
	});

	test('When requests wait for their client or for an event, then they take nobody’s place', async () => {
		const world = new World();
		world.begin(LIMIT + BURST);
		const { promise, resolve } = Promise.withResolvers<void>();
		const waits = Array.from({ length: BURST + 10 }, () => world.admission.whileIdle(promise));
		expect(world.begin(20)).toBe(10);
		resolve();
		await Promise.all(waits);
		world.end(BURST + 10);
		expect(world.begin(1)).toBe(0);
	});

	test('When the process is behind, then whoever asks for its health is answered', () => {
		const world = new World();
		world.begin(LIMIT + BURST);
		expect(['/healthz', '/readyz'].map((target) => world.admission.begin(target))).toEqual([true, true]);
		expect(world.admission.refused).toBe(0);
	});
});
