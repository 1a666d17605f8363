import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { releaseBookings } from '../../services/accounts/quota/reserve-bookings.ts';
import { unused, usageKey } from '../../services/accounts/quota/usage-store.ts';
import { QuotaRefunds } from '../../services/booking/quota/quota-refunds.ts';
import type { Params } from '../../shared/contract/actions.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import { until } from '../support/until.ts';
import { type AccountsWorld, describeForms } from './accounts-world.ts';

const SOURCE = { account_id: 'acc_1', month: '2026-11' };
const silent = pino({ level: 'silent' });

type Send = (given: Params<'accounts.releaseBookings'>) => Promise<void>;

async function worldWith(openWorld: () => Promise<AccountsWorld>, bookings: number) {
	const world = await openWorld();
	await world.rows.usage.insertMany([{ ...unused(usageKey(SOURCE.account_id, SOURCE.month)), bookings }]);
	const booked = async () => (await world.rows.usage.findOne(usageKey('acc_1', '2026-11')).lean())?.bookings;
	const release: Send = (given) => releaseBookings(world.records, given);
	return { booked, release };
}

describeForms('bookings that are given back', (openWorld) => {
	test('When accounts cannot be reached, then they are given back once it can', async () => {
		const { booked, release } = await worldWith(openWorld, 10);
		let attempts = 0;
		const returns = new QuotaRefunds(async (given) => {
			if (++attempts <= 2) throw new ApiError('service_unavailable');
			await release(given);
		}, silent);
		returns.give(SOURCE, 4);
		await until(async () => (await booked()) === 6, { what: 'the third attempt' });
		expect(attempts).toBe(3);
	});

	test('R7: When the answer is lost, then they are given back once, however often it is tried', async () => {
		const { booked, release } = await worldWith(openWorld, 100);
		let attempts = 0;
		const returns = new QuotaRefunds(async (given) => {
			await release(given);
			if (++attempts <= 2) throw new ApiError('gateway_timeout');
		}, silent);
		returns.give(SOURCE, 4);
		returns.give(SOURCE, 5);
		await until(() => attempts === 4, { what: 'both returns' });
		expect(await booked()).toBe(91);
	});

	test('R7: When an attempt lands long after its repetition, and after later returns, then it changes nothing', async () => {
		const { booked, release } = await worldWith(openWorld, 100);
		const sent: Params<'accounts.releaseBookings'>[] = [];
		const returns = new QuotaRefunds(async (given) => {
			sent.push(given);
			if (sent.length === 1) throw new ApiError('gateway_timeout'); // it is on its way still
			await release(given);
		}, silent);
		returns.give(SOURCE, 4);
		await until(() => sent.length === 2, { what: 'the repetition' });
		returns.give(SOURCE, 5);
		await until(() => sent.length === 3, { what: 'the later return' });
		await returns.stop();
		await release(sent[0]!);
		expect(await booked()).toBe(91);
	});

	test('When many are given back at once, then they share returns, and each process has its own numbers', async () => {
		const { booked, release } = await worldWith(openWorld, 1_000);
		let sends = 0;
		const send: Send = async (given) => {
			sends++;
			await release(given);
		};
		const processes = [new QuotaRefunds(send, silent), new QuotaRefunds(send, silent)];
		for (let number = 0; number < 100; number++) processes[number % 2]!.give(SOURCE, 3);
		await Promise.all(processes.map((returns) => returns.stop()));
		expect([await booked(), sends]).toEqual([700, 4]);
	});

	test('When a process ends, then what cannot be given back now is not waited for', async () => {
		const returns = new QuotaRefunds(() => Promise.reject(new ApiError('service_unavailable')), silent);
		returns.give(SOURCE, 4);
		await returns.stop();
	});
});
