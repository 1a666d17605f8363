import { call } from '../../shared/bus/call.ts';
import { isError } from '../../shared/contract/errors.ts';
import type { PlaceReport } from '../../shared/contract/reports.ts';
import { eachNode } from '../channel/each-node.ts';
import { date, id } from '../line/arguments.ts';
import { command, UsageError } from '../line/command.ts';
import { count, rulesText, table } from '../tables.ts';

type Shown = PlaceReport & { waiting: number };

export const slotsShow = command({
	name: 'slots show',
	summary: 'places of a slot on a date: maximum, taken by whom, free; the lock’s holder and queue',
	parameters: {
		slot: { meaning: 'Id of the time slot', parse: id },
		date: { meaning: 'YYYY-MM-DD', parse: date },
	},
	options: {},
	needs: ['booking', 'catalog'],
	async run(broker, values) {
		const report = await call(broker, 'booking.showPlace', { time_slot_id: values.slot, date: values.date }).catch(
			(error: unknown) => {
				if (isError(error, 'time_slot_not_found')) throw new UsageError(`There is no time slot ${values.slot}.`);
				throw error;
			},
		);
		const { account_id, time_slot_id, date } = report;
		const occurrence = { account_id, time_slot_id, date };
		const queues = await eachNode(broker, 'booking.queues', { occurrence });
		const shown = { ...report, waiting: queues.reduce((sum, { answer }) => sum + (answer?.waiting ?? 0), 0) };
		return { data: shown, text: textOf(shown) };
	},
});

function textOf({ max, override_id, rules, taken, free, lock, waiting, ...slot }: Shown): string {
	const rulesWords = rulesText(rules);
	return [
		`Time slot ${slot.time_slot_id} on ${slot.date}, service ${slot.service_id}, account ${slot.account_id}`,
		`maximum ${max}${override_id === null ? '' : ` by date override ${override_id}`}, taken ${taken.length}, free ${free}`,
		...(taken.length > max
			? [`${taken.length - max} more than the maximum: kept when it was lowered, or see audit`]
			: []),
		...(rulesWords === '' ? [] : [`booked ${rulesWords}`]),
		lockText(lock),
		`${count(waiting, 'request')} waiting in the booking processes`,
		...(taken.length === 0
			? []
			: [
					'',
					table(
						['booking', 'seat', 'status'],
						taken.map(({ booking_id, seat, status }) => [booking_id, seat, status]),
					),
				]),
	].join('\n');
}

function lockText(lock: PlaceReport['lock']): string {
	if (lock === null) return 'lock: Redis does not answer; booking goes on without it';
	if (lock.holder === null) return `lock: free, ${lock.waiting} in its queue`;
	return `lock: held by ${lock.holder} for ${lock.ttl} ms at most, ${lock.waiting} in its queue`;
}
