import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { AccountsStore } from '../../services/accounts/accounts-store.ts';
import { bookingLimit } from '../../services/accounts/quota/reserve-bookings.ts';
import { TestClock } from './test-clock.ts';

/** A store that answers a little later, as any does. */
const store = {
	account: (account_id: string) => delay(5, { account_id }),
	plan: () => delay(5, { overages_enabled: false, bookings_per_month: 7 }),
} as unknown as AccountsStore;

test('When more accounts book at once than are remembered, then each is told its limit', async () => {
	const limitOf = bookingLimit(store, new TestClock('2026-11-01T00:00:00Z'));
	const accounts = Array.from({ length: 10_001 }, (_, index) => `acc_${index}`);
	expect(new Set(await Promise.all(accounts.map(limitOf)))).toEqual(new Set([7]));
});
