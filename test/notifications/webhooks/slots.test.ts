import { expect, test } from '@jest/globals';
import { type Lane, Slots } from '../../../services/notifications/webhooks/queue/slots.ts';

const never = new AbortController().signal;

/** Takes slots, as attempts that hang do; tells how many were had. */
async function hang(slots: Slots, count: number, lane: Lane, account_id: string, host: (n: number) => string) {
	let had = 0;
	for (let number = 0; number < count; number++) {
		void slots.take({ lane, account_id, host: host(number) }, never).then(() => had++);
	}
	await new Promise(setImmediate);
	return had;
}

const own = (account_id: string) => (number: number) => `${account_id}-${number}`;

test('N6: When four accounts have 100 attempts for one host, then 20 are under way at most, and each account has some', async () => {
	const slots = new Slots(512);
	const had = [];
	for (const account of ['a', 'b', 'c', 'd']) had.push(await hang(slots, 25, 'well', account, () => 'one'));
	expect(had.reduce((a, b) => a + b)).toBeLessThanOrEqual(20);
	expect(Math.min(...had)).toBeGreaterThan(0);
});

test('X20: When 2,000 endpoints of 80 accounts fail by hanging, then the others begin at once, new ones too', async () => {
	const slots = new Slots(512);
	for (let account = 0; account < 80; account++) await hang(slots, 25, 'failing', `${account}`, own(`${account}`));
	expect(await hang(slots, 25, 'new', 'fresh', own('fresh'))).toBe(25);
	expect(await hang(slots, 25, 'well', 'healthy', own('healthy'))).toBe(25);
});

test('X20: When 2,000 endpoints that nobody knows hang, then those that answer begin at once', async () => {
	const slots = new Slots(512);
	for (let account = 0; account < 80; account++) await hang(slots, 25, 'new', `${account}`, own(`${account}`));
	expect(await hang(slots, 25, 'well', 'healthy', own('healthy'))).toBe(25);
});

test('When more accounts come than a process makes attempts at once, then the others wait', async () => {
	const slots = new Slots(8);
	let had = 0;
	for (let account = 0; account < 20; account++) had += await hang(slots, 1, 'well', `${account}`, own(`${account}`));
	expect(had).toBe(8);
});

test('X20: When a slot is given back, then those that wait take turns by account', async () => {
	const slots = new Slots(8);
	const order: string[] = [];
	const wish = (lane: Lane, account_id: string) => ({ lane, account_id, host: account_id });
	const held = await Promise.all(['w', 'x', 'y', 'z'].map((account) => slots.take(wish('failing', account), never)));
	const waiting = [...'aaabbc'].map((account) =>
		slots.take(wish('failing', account), never).then((giveBack) => {
			order.push(account);
			return giveBack;
		}),
	);
	await new Promise(setImmediate);
	for (const giveBack of held) giveBack!();
	for (const one of waiting) (await one)!();
	expect(order.join('')).toBe('abcaba');
});

test('When the wait for a slot is ended, then nothing is taken, and the next one has it', async () => {
	const slots = new Slots(8);
	const wish = { lane: 'well', account_id: 'a', host: 'one' } as const;
	const held = await Promise.all(Array.from({ length: 4 }, () => slots.take(wish, never)));
	const patience = new AbortController();
	const first = slots.take(wish, patience.signal);
	const second = slots.take(wish, never);
	patience.abort();
	expect(await first).toBeUndefined();
	held[0]!();
	expect(await second).toBeDefined();
});
