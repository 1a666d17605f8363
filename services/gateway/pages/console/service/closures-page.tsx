import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../api/client.ts';
import { useGet } from '../api/resource.ts';
import type { DateOverride, DateOverrideList, DateOverridePreview, Schedule, Service } from '../api/shapes.ts';
import { Button } from '../parts/button.tsx';
import { Choice, Field } from '../parts/field.tsx';
import { Icon } from '../parts/icons.tsx';
import { Empty, Failure, Shown, tell } from '../parts/notices.tsx';
import { Pager, ROWS } from '../parts/pager.tsx';
import { route } from '../route.ts';
import { shortDate, today, WEEKDAYS } from '../times.ts';
import { ImpactView } from './impact.tsx';

/** Days on which a service is closed, or takes more or fewer than usual */
export function ClosuresPage({ service }: { service: Service }): VNode {
	const [page, setPage] = useState(1);
	const path = `/v1/services/${service.id}/date-overrides`;
	const list = useGet<DateOverrideList>(path, { page, page_size: ROWS });
	const schedule = useGet<Schedule>(`/v1/services/${service.id}/schedule`);
	const slots = slotNames(schedule.data);
	const { params } = route.value;
	return (
		<div class="stack">
			<p class="lead">
				Close days, or give them another maximum than usual. Bookings that are there stay: the preview names those that
				are in the way.
			</p>
			<CloseForm key={`${params.from} ${params.slot}`} service={service} slots={slots} path={path} />
			<Shown of={list}>
				{({ date_overrides: overrides, pagination }) =>
					overrides.length === 0 && page === 1 ? (
						<Empty title="No day is closed" />
					) : (
						<>
							<div class="table-box">
								<table class="table">
									<caption class="hidden">Closed and changed days</caption>
									<thead>
										<tr>
											<th scope="col">Days</th>
											<th scope="col">What</th>
											<th scope="col">Of</th>
											<th scope="col">Reason</th>
											<th scope="col">
												<span class="hidden">Remove</span>
											</th>
										</tr>
									</thead>
									<tbody>
										{overrides.map((one) => (
											<Override key={one.id} override={one} slots={slots} path={path} />
										))}
									</tbody>
								</table>
							</div>
							<Pager what="closed days" pagination={pagination} onPage={setPage} />
						</>
					)
				}
			</Shown>
		</div>
	);
}

type SlotNames = Map<number, string>;

function slotNames(schedule: Schedule | undefined): SlotNames {
	const names = (schedule?.time_slots ?? []).map(({ id, day_of_week, start_time, end_time }) => {
		const name = `${WEEKDAYS[day_of_week]}, ${start_time.slice(11, 16)} – ${end_time.slice(11, 16)}`;
		return [id, name] as const;
	});
	return new Map(names);
}

interface FormProps {
	service: Service;
	slots: SlotNames;
	path: string;
}

function CloseForm({ service, slots, path }: FormProps): VNode {
	const { params } = route.value;
	const [from, setFrom] = useState(params.from ?? today(service.timezone));
	const [to, setTo] = useState(params.from ?? today(service.timezone));
	const [slot, setSlot] = useState(params.slot ?? '');
	const [what, setWhat] = useState('close');
	const [most, setMost] = useState('1');
	const [reason, setReason] = useState('');
	const [preview, setPreview] = useState<{ of: string; impact: DateOverridePreview['impact'] }>();
	const [failure, setFailure] = useState<Error>();
	const body = {
		date_from: from,
		date_to: to,
		time_slot_id: slot === '' ? null : Number(slot),
		max_bookings: what === 'close' ? 0 : Number(most),
		reason: reason || null,
	};
	const wanted = JSON.stringify(body);
	const isPreviewed = preview?.of === wanted;
	const post = async (isPreview: boolean) => {
		setFailure(undefined);
		try {
			const answer = await change<DateOverridePreview>('POST', path, {
				body,
				query: { dry_run: isPreview || undefined },
			});
			setPreview(isPreview ? { of: wanted, impact: answer.impact } : undefined);
			if (!isPreview) tell(what === 'close' ? 'Closed.' : 'The maximum was set.');
		} catch (error) {
			setFailure(error as Error);
		}
	};
	const submit = (event: Event) => {
		event.preventDefault();
		void post(true);
	};
	return (
		<form class="card stack" onSubmit={submit}>
			<div class="columns">
				<Field label="First day" type="date" required value={from} onValue={setFrom} />
				<Field label="Last day" type="date" required min={from} value={to} onValue={setTo} />
				<Choice
					label="Of"
					value={slot}
					options={[['', 'All time slots'], ...[...slots].map(([id, name]) => [String(id), name] as const)]}
					onValue={setSlot}
				/>
				<Choice
					label="What"
					value={what}
					options={[
						['close', 'Close'],
						['most', 'Another maximum'],
					]}
					onValue={setWhat}
				/>
				{what === 'most' && (
					<Field label="Bookings at most" type="number" min={1} max={10_000} required value={most} onValue={setMost} />
				)}
				<Field label="Reason" value={reason} maxLength={255} placeholder="Holiday" onValue={setReason} />
			</div>
			{isPreviewed && <ImpactView impact={preview.impact} service={service.id} />}
			<Failure error={failure} />
			<div class="actions">
				<Button type="submit" kind={isPreviewed ? 'plain' : 'main'} writes>
					Preview
				</Button>
				<Button kind={isPreviewed ? 'main' : 'plain'} writes disabled={!isPreviewed} onPress={() => post(false)}>
					{what === 'close' ? 'Close these days' : 'Set this maximum'}
				</Button>
			</div>
		</form>
	);
}

interface OverrideProps {
	override: DateOverride;
	slots: SlotNames;
	path: string;
}

function Override({
	override: { id, date_from, date_to, max_bookings, time_slot_id, reason },
	slots,
	path,
}: OverrideProps): VNode {
	const days = date_from === date_to ? shortDate(date_from) : `${shortDate(date_from)} – ${shortDate(date_to)}`;
	const remove = async () => {
		await change('DELETE', `${path}/${id}`);
		tell('The usual week holds again.');
	};
	return (
		<tr>
			<td>{days}</td>
			<td>{max_bookings === 0 ? 'Closed' : `At most ${max_bookings}`}</td>
			<td>{time_slot_id === null ? 'All time slots' : (slots.get(time_slot_id) ?? `Slot ${time_slot_id}`)}</td>
			<td>{reason}</td>
			<td class="number">
				<Button kind="quiet" label={`Open again: ${days}`} writes onPress={remove}>
					<Icon name="trash" />
				</Button>
			</td>
		</tr>
	);
}
