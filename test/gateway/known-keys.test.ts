import { describe, expect, test } from '@jest/globals';
import { Authenticator } from '../../services/gateway/authentication/authenticate.ts';
import type { Caller } from '../../shared/bus/call.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import type { Clock } from '../../shared/engine/clock.ts';
import { createApiKey } from '../../shared/secrets/api-key.ts';
import { Random } from '../proof/random.ts';

/** ms of one step of the clock here, with a request at each */
const STEP = 100;

/** Accounts with one key, and a gateway's authenticator that asks it. An answer is read some time after it was asked for. */
class World {
	ms = 0;
	isDown = false;
	/** When the operator was told that the key is revoked */
	revokedAt = Number.POSITIVE_INFINITY;
	/** ms until an answer is read, and then again until it comes */
	latency: () => number;
	/** When the last request began that passed */
	lastPassed = 0;
	readonly asked = { 'accounts.verifyKey': 0, 'accounts.changes': 0 };
	readonly authenticator: Authenticator;
	readonly #key = `Bearer ${createApiKey()}`;
	readonly #due: { at: number; run: () => void }[] = [];
	#count = 0;
	#isGood = true;

	constructor(latency = () => 0) {
		this.latency = latency;
		const clock = { now: () => this.ms, monotonic: () => this.ms } as Clock;
		this.authenticator = new Authenticator({ call: this.#call } as unknown as Caller, clock);
	}

	readonly #call = async (action: keyof World['asked']) => {
		this.asked[action]++;
		if (this.isDown) throw new ApiError('service_unavailable');
		await this.#after(this.latency());
		const principal = { account_id: 'a', expires_at: null, package: { name: 'x' } };
		const answer = action === 'accounts.changes' ? { count: this.#count } : this.#isGood ? principal : null;
		await this.#after(this.latency());
		return answer;
	};

	#after(ms: number): Promise<void> | undefined {
		if (ms === 0) return undefined;
		return new Promise((run) => this.#due.push({ at: this.ms + ms, run }));
	}

	/** Something about another key, and counted. */
	change(): void {
		this.#count++;
	}

	/** The key is revoked, that is counted, and the operator is told: one after the other. */
	async revoke(): Promise<void> {
		this.#isGood = false;
		await this.#after(this.latency());
		this.#count++;
		await this.#after(this.latency());
		this.revokedAt = this.ms;
	}

	/** @returns `passed`, or the error */
	async request(): Promise<string> {
		const begun = this.ms;
		const known = this.authenticator.known(this.#key);
		const answer = known
			? 'passed'
			: await this.authenticator.authenticate(this.#key, 'id').then(
					() => 'passed',
					(error: Error) => error.message,
				);
		if (answer === 'passed') this.lastPassed = Math.max(this.lastPassed, begun);
		return answer;
	}

	/** Time goes on, with a request at each step, or without any. */
	async pass(ms: number, isUsed = true): Promise<void> {
		for (const end = this.ms + ms; this.ms < end; this.ms += STEP) {
			for (const { run } of this.#due.splice(0).filter((one) => one.at <= this.ms || !this.#due.push(one))) run();
			await settled();
			if (isUsed) void this.request();
			await settled();
		}
	}
}

/** Lets everything go on that waits for an answer that is there. */
async function settled(): Promise<void> {
	for (let turn = 0; turn < 20; turn++) await undefined;
}

describe('a key that a gateway knows', () => {
	test('When nothing is changed, then it is looked up once a minute, and one question in 2 s is for all keys', async () => {
		const world = new World();
		await world.pass(10_000);
		world.asked['accounts.verifyKey'] = world.asked['accounts.changes'] = 0;
		await world.pass(120_000);
		expect(world.asked['accounts.verifyKey']).toBe(2);
		expect(world.asked['accounts.changes']).toBeLessThanOrEqual(61);
	});

	test('When something was changed, then what was looked up before is looked up anew, and nothing is asked on and on', async () => {
		const world = new World();
		for (let changes = 0; changes < 5; changes++) {
			world.change();
			await world.pass(10_000);
		}
		expect(world.asked['accounts.verifyKey']).toBeLessThanOrEqual(1 + 5);
		expect(world.asked['accounts.changes']).toBeLessThanOrEqual(25);
	});

	test('When nobody uses it for a while, then the next request asks before it passes', async () => {
		const world = new World();
		await world.pass(10_000);
		await world.pass(20_000, false);
		await world.revoke();
		expect(await world.request()).toBe('invalid API key');
	});

	test('A3: When it is revoked at any moment, answers take their time and no news comes, then it is refused within 5 s', async () => {
		for (let seed = 0; seed < 300; seed++) {
			const random = new Random(seed);
			const slowest = random.pick([0, 300, 1_000, 1_900]);
			const world = new World(() => random.between(0, slowest));
			for (let left = random.between(0, 6); left > 0; left--) {
				await world.pass(random.between(0, random.pick([3_000, 8_000, 70_000])), random.chance(0.8));
			}
			void world.revoke();
			await world.pass(2 * slowest + STEP);
			await world.pass(12_000);
			expect([seed, world.revokedAt]).not.toEqual([seed, Number.POSITIVE_INFINITY]);
			expect([seed, world.lastPassed - world.revokedAt >= 5_000]).toEqual([seed, false]);
		}
	});

	test('A3: When it is looked up while the first question is on its way, and then revoked, then it is refused within 5 s', async () => {
		const world = new World();
		await world.pass(2_000);
		world.latency = () => 1_000;
		await world.pass(STEP); // asks
		world.latency = () => 0;
		world.authenticator.forget({ account_id: 'a' });
		await world.pass(STEP); // looks up
		await world.revoke();
		await world.pass(10_000);
		expect(world.lastPassed - world.revokedAt).toBeLessThan(5_000);
	});

	test('A3: When accounts does not answer, then it is believed for 4 s, and then nobody is let in', async () => {
		const world = new World();
		await world.pass(10_000);
		world.isDown = true;
		await world.pass(10_000);
		expect(world.lastPassed).toBeLessThan(14_000);
		expect(await world.request()).toBe('service unavailable');
		world.isDown = false;
		expect(await world.request()).toBe('passed');
	});
});
