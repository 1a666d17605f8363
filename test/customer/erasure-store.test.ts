import { expect, test } from '@jest/globals';
import { ErasureStore } from '../../services/customer/erasure/erasure-store.ts';
import { onBothForms } from '../store/stores.ts';

onBothForms('erasures under way', (open) => {
	const person = { kind: 'email', value: 'ada@example.com' } as const;

	test('C2: When one is asked for again by a process that saw fewer bookings, then it still goes as far as the other had it go', async () => {
		const store = new ErasureStore((await open()).connection);
		await store.prepare();
		const scope = { account_id: 'acc_1' };
		const first = await store.begin(scope, person, 12, 0);
		const second = await store.begin(scope, person, 10, 0);
		expect(second).toMatchObject({ name: first.name, up_to: 12 });
		expect((await store.begin(scope, person, 15, 0)).up_to).toBe(15);
		expect(await store.go(first, { page: 2 })).toBeUndefined(); // it was asked for once more
	});
});
