import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../api/client.ts';
import type { CreateService, Service } from '../api/shapes.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { tell } from '../parts/notices.tsx';
import { useIdempotencyKey } from '../parts/use-idempotency-key.ts';
import { go } from '../route.ts';
import { now } from '../times.ts';
import { EMPTY_ROW, nextDate, type Row, slotOf } from './schedule-rows.ts';
import { ScheduleTable } from './schedule-table.tsx';
import { TimezoneField } from './timezone-field.tsx';

const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function NewService({ onClose }: { onClose: () => void }): VNode {
	const [name, setName] = useState('');
	const [timezone, setTimezone] = useState(HERE);
	const [rows, setRows] = useState<Row[]>([EMPTY_ROW]);
	const request = JSON.stringify([name, timezone, rows]); // a row that is not filled in has no slot yet
	const idempotencyKey = useIdempotencyKey('service', request);
	const create = async () => {
		const body: CreateService = { name, timezone, time_slots: rows.map(slotOf) };
		const service = await change<Service>('POST', '/v1/services', { body, idempotencyKey });
		tell(`${service.name} was created.`);
		onClose();
		go('calendar', { service: service.id, date: nextDate(rows, now(service.timezone)) });
	};
	return (
		<Dialog title="New service" action="Create" wide onAct={create} onClose={onClose}>
			<div class="columns">
				<Field label="Name" value={name} required maxLength={72} onValue={setName} />
				<TimezoneField value={timezone} onValue={setTimezone} />
			</div>
			<ScheduleTable rows={rows} onRows={setRows} />
		</Dialog>
	);
}
