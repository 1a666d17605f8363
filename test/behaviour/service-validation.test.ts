import { describe, expect, test } from '@jest/globals';
import type { Service } from '../../shared/contract/schemas/service.ts';
import { expectRefusal } from '../support/expectations.ts';
import { createService, getService, serviceBody, slotInput } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

const NO_ZONES = [
	'Mars/Base',
	'+02:00',
	'UTC+2',
	'Europe/berlin ',
	'Europe',
	'GMT+0100',
	'Etc',
	'CEST',
	'local',
	'2',
	'../UTC',
];
const ZONES = [
	'Europe/Berlin',
	'UTC',
	'Etc/UTC',
	'Asia/Calcutta',
	'Asia/Kolkata',
	'America/Argentina/Buenos_Aires',
	'Etc/GMT+5',
];

/** 400: cannot be read as what the operation takes. 422: every field is well formed, but no service can come of it. */
describe('A service that cannot be created (contract §1)', () => {
	test.each(NO_ZONES)(
		'When the time zone is "%s", then POST is 422 and PATCH is 400, and both quote it',
		async (timezone) => {
			const client = newAccount();
			expectRefusal(await client.post('/v1/services', serviceBody({ timezone })), 422, 'timezone', timezone);
			const { id } = await createService(client);
			expectRefusal(await client.patch(`/v1/services/${id}`, { timezone }), 400, 'timezone', timezone);
		},
	);

	test('When the time zone is unknown, then the text says what is wrong with it', async () => {
		const answer = await newAccount().post('/v1/services', serviceBody({ timezone: 'Mars/Base' }));
		expect(answer.error).toContain('timezone: "Mars/Base" is not an IANA time zone');
	});

	test.each(ZONES)('When the time zone is %s, then it is taken and comes back as given', async (timezone) => {
		expect((await createService(newAccount(), { timezone })).timezone).toBe(timezone);
	});

	const reversed: [string, string][] = [
		['2026-01-05 09:00:00', '2026-01-05 09:00:00'],
		['2026-01-05 09:00:01', '2026-01-05 09:00:00'],
		['2026-01-06 09:00:00', '2026-01-05 10:00:00'],
	];
	test.each(reversed)('When a slot goes from %s to %s, then it is 422 and named', async (start_time, end_time) => {
		const time_slots = [slotInput(), slotInput({ start_time, end_time })];
		expectRefusal(await newAccount().post('/v1/services', serviceBody({ time_slots })), 422, 'time_slots[1]');
	});

	const times = [
		'2026-02-30 09:00:00',
		'2025-02-29 09:00:00',
		'2026-13-01 09:00:00',
		'2026-00-01 09:00:00',
		'2026-01-05 24:00:00',
		'2026-01-05 09:60:00',
		'2026-01-05 09:00:60',
		'2026-01-05T09:00:00',
		'2026-01-05T09:00:00Z',
		'2026-01-05 09:00',
		'2026-1-5 9:00:00',
		'09:00:00',
		'2026-01-05 09:00:00 ',
		'2026-01-05 09:00:00+01:00',
		'',
		'tomorrow',
	];
	test.each(times)('When a slot starts or ends at "%s", then it is 400 and named', async (time) => {
		const client = newAccount();
		const early = { time_slots: [slotInput({ start_time: time })] };
		expectRefusal(await client.post('/v1/services', serviceBody(early)), 400, 'time_slots[0].start_time');
		const late = { time_slots: [slotInput({ end_time: time })] };
		expectRefusal(await client.post('/v1/services', serviceBody(late)), 400, 'time_slots[0].end_time');
	});

	test.each([-1, 7, 1.5, '1', null, true, 1e9])(
		'When day_of_week is %p, then it is 400 and named',
		async (day_of_week) => {
			const time_slots = [{ ...slotInput(), day_of_week }];
			expectRefusal(
				await newAccount().post('/v1/services', serviceBody({ time_slots })),
				400,
				'time_slots[0].day_of_week',
			);
		},
	);

	test.each([0, -1, 10_001, 1.5, '1', null, 1e300])(
		'When max_bookings is %p, then it is 400 and named',
		async (max_bookings) => {
			const time_slots = [{ ...slotInput(), max_bookings }];
			expectRefusal(
				await newAccount().post('/v1/services', serviceBody({ time_slots })),
				400,
				'time_slots[0].max_bookings',
			);
		},
	);

	test.each([1, 10_000])('When max_bookings is %p, then it is taken', async (max_bookings) => {
		await createService(newAccount(), { time_slots: [slotInput({ max_bookings })] });
	});

	test.each(['day_of_week', 'start_time', 'end_time', 'max_bookings'])(
		'When a slot lacks %s, then it is 400 and named',
		async (name) => {
			const time_slots = [{ ...slotInput(), [name]: undefined }];
			expectRefusal(await newAccount().post('/v1/services', serviceBody({ time_slots })), 400, name);
		},
	);

	test.each(['name', 'timezone'])('When %s is missing, then it is 400 and named', async (name) => {
		expectRefusal(await newAccount().post('/v1/services', serviceBody({ [name]: undefined })), 400, name);
	});

	test('When time_slots is no list, then it is 400 and named', async () => {
		for (const time_slots of [{}, 'x', 1, true, [1], ['x'], [null], [[]]]) {
			expectRefusal(await newAccount().post('/v1/services', serviceBody({ time_slots })), 400, 'time_slots');
		}
	});

	test('When there are 501 slots, then it is 400 and named', async () => {
		const slot = {
			day_of_week: 1,
			start_time: '2026-01-05 09:00:00',
			end_time: '2026-01-05 10:00:00',
			max_bookings: 1,
		};
		const time_slots = Array.from({ length: 501 }, () => slot);
		expectRefusal(await newAccount().post('/v1/services', serviceBody({ time_slots })), 400, 'time_slots', '500');
	});

	test('When one slot of many is bad, then nothing at all is created', async () => {
		const client = newAccount();
		const good = Array.from({ length: 50 }, () => slotInput());
		const bad = [...good, slotInput({ end_time: '2026-01-05 08:00:00' })];
		expectRefusal(await client.post('/v1/services', serviceBody({ time_slots: bad })), 422, 'time_slots[50]');
		const services = (await client.get<{ services: Service[] }>('/v1/services')).mustBe(200);
		expect(services.services).toEqual([]);
		const slots = (await client.get<{ time_slots: unknown[] }>('/v1/time-slots')).mustBe(200);
		expect(slots.time_slots).toEqual([]);
	});

	test('When a PATCH has one bad field, then the good ones are not written either', async () => {
		const client = newAccount();
		const service = await createService(client);
		const change = { name: 'Good', timezone: 'Mars/Base' };
		expectRefusal(await client.patch(`/v1/services/${service.id}`, change), 400, 'timezone');
		expect(await getService(client, service.id)).toEqual(service);
	});

	test('When the plan has no room for one more service, then it is 422', async () => {
		const client = newAccount('Starter');
		for (let number = 0; number < 5; number++) await createService(client, { name: `Service ${number}` });
		const answer = await client.post('/v1/services', serviceBody());
		expectRefusal(answer, 422, 'services');
	});
});
