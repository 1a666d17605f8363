import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../api/client.ts';
import type { Erasure } from '../api/shapes.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { tell } from '../parts/notices.tsx';
import type { Person } from './person.ts';

interface Props {
	person: Person;
	onClose: () => void;
}

/** It cannot be undone: so the address is typed once more. */
export function EraseDialog({ person, onClose }: Props): VNode {
	const name = (person.email ?? person.phone)!;
	const [typed, setTyped] = useState('');
	const erase = async () => {
		const { bookings } = await change<Erasure>('POST', '/v1/customers/erase', { body: person });
		tell(`Erased from ${bookings} ${bookings === 1 ? 'booking' : 'bookings'}; within seconds it is gone everywhere.`);
		onClose();
	};
	return (
		<Dialog title={`Erase ${name}?`} action="Erase" danger disabled={typed !== name} onAct={erase} onClose={onClose}>
			<p>
				Name, address, number and notes are taken out of all that is kept. The bookings stay, without the person. This
				cannot be undone.
			</p>
			<Field label={`Type ${name} to go on`} value={typed} autocomplete="off" onValue={setTyped} />
		</Dialog>
	);
}
