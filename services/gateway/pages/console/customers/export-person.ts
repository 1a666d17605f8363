import { get } from '../api/client.ts';
import type { PersonExport } from '../api/shapes.ts';
import { tell } from '../parts/notices.tsx';
import type { Person } from './person.ts';

/** Reads all that is kept about a person, and gives it to the browser to save. */
export async function exportPerson(person: Person): Promise<void> {
	const parts: PersonExport[] = [];
	for (let after = 0, more = true; more; ) {
		const part = await get<PersonExport>('/v1/customers/export', { ...person, after });
		parts.push(part);
		[after, more] = [part.next_after, part.has_more];
	}
	save(JSON.stringify(parts.length === 1 ? parts[0] : parts, null, 2), 'customer.json');
	const bookings = parts.reduce((sum, part) => sum + part.bookings.length, 0);
	tell(`Exported: ${bookings} ${bookings === 1 ? 'booking' : 'bookings'} and what was told of them.`);
}

function save(text: string, name: string): void {
	const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
	const link = document.createElement('a');
	link.href = url;
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
