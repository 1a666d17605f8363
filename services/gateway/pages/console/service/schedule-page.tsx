import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../api/client.ts';
import { Refusal } from '../api/failures.ts';
import { useGet } from '../api/resource.ts';
import type { ReplaceSchedule, Schedule, SchedulePreview, Service } from '../api/shapes.ts';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { Failure, Shown, tell } from '../parts/notices.tsx';
import { useDraft } from '../parts/use-draft.ts';
import { ImpactView } from './impact.tsx';
import { type Row, rowOf, slotAs } from './schedule-rows.ts';
import { ScheduleTable } from './schedule-table.tsx';
import { TimezoneField } from './timezone-field.tsx';

const CONFLICT =
	'Somebody changed this schedule meanwhile. What you typed is kept: saving it would put it in the place of theirs.';

/** The week of a service: changed as a whole, after a look at what that means for bookings */
export function SchedulePage({ service }: { service: Service }): VNode {
	const schedule = useGet<Schedule>(`/v1/services/${service.id}/schedule`);
	const [kept, setKept] = useState<Schedule>();
	return (
		<Shown of={schedule}>
			{(now) => {
				const known = kept ?? now;
				return (
					<>
						<ScheduleForm
							key={known.version}
							service={service}
							known={known}
							version={now.version}
							onEdit={() => setKept(known)}
							onSaved={() => setKept(undefined)}
						/>
						{known.version !== now.version && (
							<div class="actions">
								<Button onPress={() => setKept(undefined)}>Show the schedule as it is now</Button>
							</div>
						)}
					</>
				);
			}}
		</Shown>
	);
}

interface Props {
	service: Service;
	/** What the form began with */
	known: Schedule;
	/** What it is now */
	version: number;
	/** What is typed here is kept, also where somebody else changes the schedule meanwhile. */
	onEdit: () => void;
	onSaved: () => void;
}

function ScheduleForm({ service, known, version, onEdit, onSaved }: Props): VNode {
	const form = `schedule:${service.id}:${known.version}`;
	const [timezone, setTimezone] = useDraft(`${form}:timezone`, known.timezone);
	const [rows, setRows] = useDraft(`${form}:rows`, () => [...known.time_slots.map(rowOf)].sort(byWeek));
	const [notice, setNotice] = useDraft(`${form}:notice`, known.rules.min_notice_minutes?.toString() ?? '');
	const [advance, setAdvance] = useDraft(`${form}:advance`, known.rules.max_advance_days?.toString() ?? '');
	const [preview, setPreview] = useState<{ of: string; impact: SchedulePreview['impact'] }>();
	const [failure, setFailure] = useState<Error>();

	const body: ReplaceSchedule = {
		timezone,
		time_slots: rows.map((row) =>
			slotAs(
				row,
				known.time_slots.find(({ id }) => id === row.id),
			),
		),
		rules: { min_notice_minutes: numberOf(notice), max_advance_days: numberOf(advance) },
	};
	const wanted = JSON.stringify([version, body]);
	const isStale = version !== known.version;
	const put = async (isPreview: boolean) => {
		setFailure(undefined);
		const asked = { body, version, query: { dry_run: isPreview || undefined } };
		try {
			const answer = await change<SchedulePreview>('PUT', `/v1/services/${service.id}/schedule`, asked);
			if (isPreview) {
				setPreview({ of: wanted, impact: answer.impact });
			} else {
				onSaved();
				tell('The schedule was saved.');
			}
		} catch (error) {
			const isConflict = error instanceof Refusal && error.status === 412;
			setPreview(undefined);
			setFailure(isConflict ? new Error(CONFLICT) : (error as Error));
		}
	};
	const isPreviewed = preview?.of === wanted;
	const submit = (event: Event) => {
		event.preventDefault();
		void put(true);
	};
	return (
		<form class="stack" onSubmit={submit} onInput={onEdit}>
			<p class="lead">
				The week as customers can book it. Slots that are taken out are retired: nobody books them any more, and who has
				booked keeps the place.
			</p>
			<div class="card stack">
				<ScheduleTable
					rows={rows}
					onRows={(changed) => {
						onEdit();
						setRows(changed);
					}}
				/>
			</div>
			<div class="card columns">
				<TimezoneField value={timezone} onValue={setTimezone} />
				<Field
					label="Notice in minutes"
					hint="How long before its start it is booked last; empty: no rule"
					type="number"
					min={0}
					max={525_600}
					value={notice}
					onValue={setNotice}
				/>
				<Field
					label="Days in advance"
					hint="How far ahead it can be booked; empty: no rule"
					type="number"
					min={1}
					max={3650}
					value={advance}
					onValue={setAdvance}
				/>
			</div>
			{isPreviewed && <ImpactView impact={preview.impact} service={service.id} />}
			<Failure error={isStale ? new Error(CONFLICT) : failure} />
			<div class="actions">
				<Button type="submit" kind={isPreviewed ? 'plain' : 'main'} writes>
					Preview
				</Button>
				<Button kind={isPreviewed ? 'main' : 'plain'} writes disabled={!isPreviewed} onPress={() => put(false)}>
					Save the schedule
				</Button>
				{!isPreviewed && <p class="hint after">Saving comes after a look at what it means.</p>}
			</div>
		</form>
	);
}

function numberOf(text: string): number | null {
	return text === '' ? null : Number(text);
}

/** Monday first, then by time: as a week is read */
function byWeek(a: Row, b: Row): number {
	const day = (row: Row) => (Number(row.day) + 6) % 7;
	return day(a) - day(b) || a.start.localeCompare(b.start) || a.from.localeCompare(b.from);
}
