import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icons.tsx';
import { WEEKDAYS } from '../times.ts';
import { EMPTY_ROW, type Row } from './schedule-rows.ts';

/** The week begins with Monday, as the calendar's does. */
const DAYS = [1, 2, 3, 4, 5, 6, 0];

interface Props {
	rows: Row[];
	onRows: (rows: Row[]) => void;
}

/** The time slots of a week, to be edited */
export function ScheduleTable({ rows, onRows }: Props): VNode {
	const table = useRef<HTMLTableElement>(null);
	const set = (index: number, part: Partial<Row>) => {
		onRows(rows.map((row, at) => (at === index ? { ...row, ...part } : row)));
	};
	const add = () => {
		const { id: _, ...last } = rows.at(-1) ?? EMPTY_ROW;
		onRows([...rows, last]);
		requestAnimationFrame(() => table.current?.querySelector<HTMLElement>('tbody tr:last-child select')?.focus());
	};
	const remove = (index: number) => {
		onRows(rows.filter((_, at) => at !== index));
		if (index === rows.length - 1) {
			requestAnimationFrame(() => table.current?.querySelector<HTMLElement>('tbody tr:last-child button')?.focus());
		}
	};
	return (
		<>
			<table class="table form-table" ref={table}>
				<caption class="hidden">Time slots of a week</caption>
				<thead>
					<tr>
						<th scope="col">Day</th>
						<th scope="col">From</th>
						<th scope="col">To</th>
						<th scope="col">Bookings</th>
						<th scope="col">First date</th>
						<th scope="col">Last date</th>
						<th scope="col">
							<span class="hidden">Remove</span>
						</th>
					</tr>
				</thead>
				<tbody>
					{rows.map((row, index) => {
						const input = (name: keyof Row, label: string, more: object) => (
							<td data-label={label}>
								<input
									{...more}
									value={row[name]}
									aria-label={`${label}, slot ${index + 1}`}
									onInput={(event) => set(index, { [name]: event.currentTarget.value })}
								/>
							</td>
						);
						return (
							<tr key={index}>
								<td data-label="Day">
									<select
										value={row.day}
										aria-label={`Day, slot ${index + 1}`}
										onChange={(event) => set(index, { day: event.currentTarget.value })}
									>
										{DAYS.map((day) => (
											<option key={day} value={day} selected={String(day) === row.day}>
												{WEEKDAYS[day]}
											</option>
										))}
									</select>
								</td>
								{input('start', 'From', { type: 'time', required: true })}
								{input('end', 'To', { type: 'time', required: true })}
								{input('most', 'Bookings', { type: 'number', required: true, min: row.id ? 0 : 1, max: 10_000 })}
								{input('from', 'First date', { type: 'date' })}
								{input('until', 'Last date', { type: 'date' })}
								<td>
									<Button kind="quiet" label={`Remove slot ${index + 1}`} onPress={() => remove(index)}>
										<Icon name="trash" />
									</Button>
								</td>
							</tr>
						);
					})}
				</tbody>
			</table>
			<p class="hint">
				Each slot is offered every week on its day, to so many bookings. What ends at its start or earlier ends on the
				next day. Without a first and a last date it goes on for ever.
			</p>
			<Button onPress={add}>
				<Icon name="plus" /> Add a slot
			</Button>
		</>
	);
}
