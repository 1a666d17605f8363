import { beforeEach, describe, expect, test } from '@jest/globals';
import { MessageAges, type Sending } from '../../shared/bus/nats-transporter.ts';
import { Standstill } from '../../shared/process/standstill.ts';

const MINUTE = 60_000; // ms

/** A process whose monotonic clock began when it pleased. */
class Process {
	readonly #offset: number;
	readonly #standstill: Standstill;
	readonly ages: MessageAges;
	#waiting: (() => void)[] = [];

	constructor(offset: number) {
		this.#offset = offset;
		const now = () => real + this.#offset;
		this.#standstill = new Standstill(now, (run) => this.#waiting.push(run));
		this.ages = new MessageAges(this.#standstill, now);
		this.tick();
	}

	tick(): void {
		this.#standstill.tick();
	}

	/** The event loop goes round a few times. */
	turn(): void {
		for (let times = 0; times < 4; times++) for (const run of this.#waiting.splice(0)) run();
	}
}

/** ms that have passed in the world */
let real: number;

function live(ms: number, ...processes: Process[]): void {
	for (let left = ms; left > 0; left -= 250) {
		real += Math.min(left, 250);
		for (const one of processes) {
			one.tick();
			one.turn();
		}
	}
}

/** What is sent now arrives after `way` ms, in which both processes live. */
function pass(sender: Process, receiver: Process, way = 1): number {
	const sending = sender.ages.sending();
	live(way, sender, receiver);
	return receiver.ages.ageOf(sending);
}

describe('X13: The age of a message', () => {
	let sender: Process;
	let receiver: Process;
	beforeEach(() => {
		real = 0;
		sender = new Process(7_000_000);
		receiver = new Process(20);
	});

	test('X13: When messages come as quickly as ever, then they are new, whatever the two clocks say', () => {
		expect(pass(sender, receiver)).toBe(0);
		expect(pass(sender, receiver, 3)).toBe(2);
		expect(pass(receiver, sender)).toBe(0);
	});

	test('X13: When one lay somewhere for 12 s, then it is 12 s old, and the next one new', () => {
		pass(sender, receiver);
		expect(pass(sender, receiver, 12_001)).toBe(12_000);
		expect(pass(sender, receiver)).toBe(0);
	});

	test('X13: When the first of a sender was slow, then it is corrected by the first quick one', () => {
		expect(pass(sender, receiver, 5_000)).toBe(0); // nothing to compare it with
		expect(pass(sender, receiver)).toBe(0);
		expect(pass(sender, receiver, 5_000)).toBe(4_999);
	});

	test('X13: When the first messages of a sender come after a standstill, then they are as old as that', () => {
		const waiting = sender.ages.sending();
		real += 12_000;
		receiver.tick();
		expect(receiver.ages.ageOf(waiting)).toBe(12_000);
		expect(pass(sender, receiver)).toBe(12_000); // may have lain there as well
		live(1_500, receiver);
		expect(pass(sender, receiver)).toBe(0);
	});

	test('X13: When a known sender’s message is new although this process stood still, then it is new', () => {
		pass(sender, receiver);
		real += 12_000;
		receiver.tick();
		expect(pass(sender, receiver)).toBe(0);
	});

	test('X13: When two clocks drift apart, then after hours messages are still new', () => {
		pass(sender, receiver);
		let drifted = 0;
		for (let minute = 0; minute < 300; minute++) {
			real += MINUTE;
			drifted += 6; // 100 ppm
			const sending = sender.ages.sending();
			expect(receiver.ages.ageOf({ ...sending, sent: sending.sent - drifted })).toBeLessThanOrEqual(60);
		}
	});

	test('X13: When a sender was suspended, then its answer to a question makes its messages new again', () => {
		pass(sender, receiver);
		const behind = ({ clock, sent }: Sending) => ({ clock, sent: sent - 30_000 }); // its clock stood still
		expect(receiver.ages.ageOf(behind(sender.ages.sending()))).toBe(29_999);
		const asked = receiver.ages.now;
		real += 1;
		receiver.ages.answered(behind(sender.ages.sending()), asked);
		expect(receiver.ages.ageOf(behind(sender.ages.sending()))).toBe(0);
	});

	test('X13: When an answer was late itself, then messages that are late stay late', () => {
		pass(sender, receiver);
		const asked = receiver.ages.now;
		const answer = sender.ages.sending();
		const waiting = sender.ages.sending();
		real += 12_000;
		receiver.ages.answered(answer, asked);
		expect(receiver.ages.ageOf(waiting)).toBe(11_999);
	});
});
