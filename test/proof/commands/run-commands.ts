import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import type { Booking } from '../../../shared/contract/schemas/booking.ts';
import { eventsUpTo } from '../../support/feed.ts';
import { type Answer, Client } from '../../support/http-client.ts';
import type { Product } from '../../support/product.ts';
import { createService, slotInput, slotsOf } from '../../support/scheduling.ts';
import { type Command, commands } from './commands.ts';
import { Driver } from './driver.ts';
import { type Expected, Oracle } from './oracle.ts';

const MAXIMA = [1, 2];

export interface CommandRuns {
	/** Sequences that were tried */
	sequences: number;
	/** Requests in all */
	sent: number;
	/** The shortest sequence found that was answered otherwise than the contract says, with both; undefined: none */
	failure: string | undefined;
}

/** Keys of accounts that so many sequences take, those that make a failure shorter included. */
export function keysFor(runs: number): number {
	return runs * 2 + 50;
}

/**
 * T4: random sequences of commands, each for an account of its own. Each answer, and the state and the feed in the end,
 * are what the oracle of the contract says.
 */
export async function runCommands(product: Product, seed: number, runs: number): Promise<CommandRuns> {
	const counts = { sequences: 0, sent: 0 };
	const property = fc.asyncProperty(commands, async (sequence) => {
		counts.sequences++;
		counts.sent += sequence.length;
		await runSequence(new Client(() => product.urls(), product.keys.Unlimited.pop()), sequence.map(plainNote));
	});
	const details = await fc.check(property, { numRuns: runs, seed });
	return { ...counts, failure: details.failed ? describeFailure(details) : undefined };
}

function describeFailure(details: fc.RunDetailsCommon<[Command[]]>): string {
	const { message } = details.errorInstance as Error;
	return `${fc.defaultReportMessage(details as fc.RunDetails<[Command[]]>)}\n${message}`;
}

async function runSequence(client: Client, sequence: Command[]): Promise<void> {
	const time_slots = MAXIMA.map((max_bookings) => slotInput({ max_bookings }));
	const service = await createService(client, { time_slots });
	const slots = (await slotsOf(client, service.id)).map(({ id }) => id);
	const [oracle, driver] = [new Oracle(MAXIMA), new Driver(client, service.id, slots)];
	for (const command of sequence) {
		const expected = oracle.apply(command);
		const answer = await driver.send(command);
		assertAnswer(driver, command, answer, expected);
		if (expected.shows === driver.ids.length) driver.ids.push(answer.data.id);
		if (expected.shows !== undefined) deepStrictEqual(answer.data.id, driver.ids[expected.shows]);
	}
	await assertState(driver, oracle);
	await assertEvents(client, driver, oracle);
}

/** The oracle's texts are the ones that are sent. */
function plainNote(command: Command): Command {
	return command.kind === 'note' && command.message !== null ? { ...command, message: 'note' } : command;
}

function assertAnswer(driver: Driver, command: Command, answer: Answer<Booking>, expected: Expected): void {
	const { status, error } = expected;
	const seen = { command, status: answer.status, error: status < 400 ? undefined : answer.error };
	deepStrictEqual(seen, { command, status, error });
	if (expected.booking === undefined) return;
	if (command.kind === 'customer') {
		const { version, email } = expected.booking;
		const customer = answer.data as unknown as Booking['customer'];
		deepStrictEqual([answer.headers.etag, customer.email], [`"${version}"`, email]);
	} else deepStrictEqual(driver.content(answer.data), expected.booking);
}

async function assertState(driver: Driver, oracle: Oracle): Promise<void> {
	if (oracle.isGone) return;
	deepStrictEqual(
		await driver.listed(),
		oracle.bookings.filter((booking) => booking !== undefined),
	);
	const seen = (await driver.availability()).map(({ booked, remaining, reason }) => [booked, remaining, reason]);
	const expected = [0, 1].flatMap((week) =>
		MAXIMA.map((_, slot) => {
			const booked = oracle.active(slot, week);
			const remaining = Math.max(0, oracle.maxima[slot]! - booked);
			const reason = oracle.maxima[slot] === 0 ? 'closed' : 'full';
			return [booked, remaining, remaining > 0 ? null : reason];
		}),
	);
	deepStrictEqual(seen, expected);
}

/** Each booking's in their order; those of different bookings may come in any. */
async function assertEvents(client: Client, driver: Driver, oracle: Oracle): Promise<void> {
	const events = await eventsUpTo(client, oracle.events.length);
	const told = events.map(({ type, data }) => ({ number: driver.ids.indexOf(data.id), type, version: data.version }));
	const byBooking = (a: { number: number }, b: { number: number }) => a.number - b.number;
	deepStrictEqual(told.sort(byBooking), oracle.events.toSorted(byBooking));
}
