import { choose, type Damage } from './damages.ts';

/** What can be wrong with the customers' directory. */
export const directoryDamages: Record<string, Damage> = {
	'a booking has no customer record': ({ final }, choice) => {
		const record = choose(final.customers!, choice);
		final.customers = final.customers!.filter((other) => other !== record);
		return record !== undefined;
	},
	'the record of a booking’s customer is of an older version': ({ final }, choice) => {
		const record = choose(
			final.customers!.filter(({ version }) => version > 1),
			choice,
		);
		if (record) record.version--;
		return record !== undefined;
	},
	'the directory has another customer than the booking': ({ final }, choice) => {
		const record = choose(
			final.customers!.filter(({ customer }) => customer !== null),
			choice,
		);
		if (record) record.customer!.name = 'somebody else';
		return record !== undefined;
	},
	'a deleted booking’s customer stays': ({ final }, choice) => {
		const record = choose(
			final.customers!.filter(({ customer }) => customer === null),
			choice,
		);
		const last = final.events.findLast(({ data }) => data.id === record?.booking_id);
		if (record) record.customer = last!.data.customer;
		return record !== undefined;
	},
	'the directory has a customer whom nobody booked': ({ final }) => {
		final.customers!.push({ booking_id: 88_888, version: 1, customer: null });
		return true;
	},
};
