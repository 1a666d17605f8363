import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { availabilityText } from '../../services/gateway/operations/availability-rows.ts';
import { AvailabilityEntry, ServiceAvailabilityEntry } from '../../shared/contract/schemas/availability.ts';

const count = fc.nat({ max: 10_000 });
const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const moment = fc.constantFrom(
	'2027-01-04T09:00:00+01:00',
	'+010000-01-02T06:00:00+00:00',
	'0001-01-01T00:00:00-12:00',
);

/** With the fields in the order in which they are answered */
const row = fc.record({
	date: fc.constantFrom('2027-01-04', '0001-01-01', '9999-12-31'),
	service_id: id,
	time_slot_id: id,
	starts_at: moment,
	ends_at: moment,
	max_bookings: count,
	override_id: fc.option(id),
	booked: count,
	remaining: count,
	bookable: fc.boolean(),
	reason: fc.constantFrom(null, 'full', 'closed', 'notice', 'horizon'),
}) satisfies fc.Arbitrary<ServiceAvailabilityEntry>;

test('S6: When rows of an availability are written, then they are byte for byte what JSON.stringify makes of them', () => {
	fc.assert(
		fc.property(fc.array(row, { maxLength: 20 }), (rows) => {
			expect(`[${availabilityText(rows)}]`).toBe(JSON.stringify(rows));
			const ofOne = rows.map(({ service_id: _, ...entry }) => entry);
			expect(`[${availabilityText(ofOne)}]`).toBe(JSON.stringify(ofOne));
		}),
	);
});

test('S6: When a row is written, then it has every field of its schema', () => {
	const [written] = fc.sample(row, 1);
	const { service_id: _, ...entry } = written!;
	const fieldsOf = (rows: Parameters<typeof availabilityText>[0]) =>
		Object.keys(JSON.parse(availabilityText(rows))).sort();
	expect(fieldsOf([written!])).toEqual(Object.keys(ServiceAvailabilityEntry.properties).sort());
	expect(fieldsOf([entry])).toEqual(Object.keys(AvailabilityEntry.properties).sort());
});
