import { beforeEach, describe, expect, test } from '@jest/globals';
import { Standstill } from '../../shared/process/standstill.ts';

/** A process whose time and whose turns of the event loop the test makes. */
class Process {
	now = 50_000;
	#waiting: (() => void)[] = [];
	readonly standstill = new Standstill(
		() => this.now,
		(run) => this.#waiting.push(run),
	);

	constructor() {
		this.standstill.tick();
	}

	/** Nothing runs for this time, then the timers do. */
	stop(ms: number): void {
		this.now += ms;
		this.standstill.tick();
	}

	/** The event loop goes round. */
	turn(times = 1): void {
		for (let done = 0; done < times; done++) for (const run of this.#waiting.splice(0)) run();
	}

	/** All is well for this time. */
	live(ms: number): void {
		for (let left = ms; left > 0; left -= 250) {
			this.now += Math.min(250, left);
			this.standstill.tick();
			this.turn(10);
		}
	}
}

describe('X13: A standstill', () => {
	let one: Process;
	beforeEach(() => {
		one = new Process();
	});

	test('X13: When a process never stood still, then nothing that it reads is old', () => {
		one.live(60_000);
		expect(one.standstill.age()).toBe(0);
		one.stop(999);
		expect(one.standstill.age()).toBe(0);
	});

	test('X13: When it was stopped for 12 s, then what it reads in the 1.5 s after that counts as 12 s old, and nothing later', () => {
		one.stop(12_000);
		expect(one.standstill.age()).toBe(12_000);
		one.live(1_250);
		expect(one.standstill.age()).toBe(12_000);
		one.live(250);
		expect(one.standstill.age()).toBe(0);
	});

	test('X13: When a busy machine takes 3 s for the turn that reads the sockets, then the last of them counts as old as the first', () => {
		one.stop(12_000);
		for (let read = 0; read < 30; read++) {
			one.now += 100;
			expect(one.standstill.age()).toBe(12_000);
		}
		one.turn(4);
		expect(one.standstill.age()).toBe(0);
	});

	test('X13: When a socket is read before the timers run, then the standstill is noticed by that', () => {
		one.now += 12_000;
		expect(one.standstill.age()).toBe(12_000);
	});

	test('X13: When it stops again before it came to read what lay there, then both times count', () => {
		one.stop(6_000);
		one.turn();
		one.stop(5_000);
		expect(one.standstill.age()).toBe(11_000);
		expect(one.standstill.began).toBe(50_000);
	});

	test('X13: When it stops again while it accepts the connections that waited, one a turn, then both times count', () => {
		one.stop(6_000);
		for (let accepted = 0; accepted < 100; accepted++) {
			one.turn();
			one.standstill.connected();
		}
		one.stop(5_000);
		expect(one.standstill.age()).toBe(11_000);
		one.turn(4);
		one.stop(5_000);
		expect(one.standstill.age()).toBe(5_000);
	});

	test('X13: When connections come on and on, then those beyond the backlog are new', () => {
		one.stop(12_000);
		for (let accepted = 0; accepted < 600; accepted++) {
			one.standstill.connected();
			one.turn();
		}
		one.stop(5_000);
		expect(one.standstill.age()).toBe(5_000);
	});

	test('X13: When it stops again after it had read everything, then only the last time counts', () => {
		one.stop(6_000);
		one.turn(10);
		one.stop(5_000);
		expect(one.standstill.age()).toBe(5_000);
		expect(one.standstill.began).toBe(56_000);
	});

	test('X13: When a process is short of time for a minute but goes on, then it takes fresh requests all the while', () => {
		for (let second = 0; second < 60; second++) {
			one.stop(1_100);
			expect(one.standstill.age()).toBeLessThan(6_000); // of the 9 s of a request
			one.turn();
		}
		one.turn(10);
		one.live(1_500);
		expect(one.standstill.age()).toBe(0);
	});
});
