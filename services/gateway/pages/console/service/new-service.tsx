import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../api/client.ts';
import { newIdempotencyKey } from '../api/idempotency-key.ts';
import type { CreateService, Service } from '../api/shapes.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { tell } from '../parts/notices.tsx';
import { go } from '../route.ts';
import { EMPTY_ROW, type Row, slotOf } from './schedule-rows.ts';
import { ScheduleTable } from './schedule-table.tsx';

const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function NewService({ onClose }: { onClose: () => void }): VNode {
	const [name, setName] = useState('');
	const [timezone, setTimezone] = useState(HERE);
	const [rows, setRows] = useState<Row[]>([EMPTY_ROW]);
	const [idempotencyKey] = useState(newIdempotencyKey);
	const create = async () => {
		const body: CreateService = { name, timezone, time_slots: rows.map(slotOf) };
		const service = await change<Service>('POST', '/v1/services', { body, idempotencyKey });
		tell(`${service.name} was created.`);
		onClose();
		go('calendar', { service: service.id });
	};
	return (
		<Dialog title="New service" action="Create" wide onAct={create} onClose={onClose}>
			<div class="columns">
				<Field label="Name" value={name} required maxLength={72} onValue={setName} />
				<Field label="Time zone" hint="Such as Europe/Berlin" value={timezone} required onValue={setTimezone} />
			</div>
			<ScheduleTable rows={rows} onRows={setRows} />
		</Dialog>
	);
}
