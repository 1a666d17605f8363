import { isDeepStrictEqual } from 'node:util';
import type { Booking } from '../../../shared/contract/schemas/booking.ts';
import type { DirectoryRecord, History } from '../history.ts';
import type { Chronicle } from './chronicle.ts';
import type { Findings } from './violation.ts';

/**
 * The customers' directory is what the bookings say. Where it was read:
 * - every booking that is there has its record, with its customer, as of its version; one that was held may be a version
 *   further, for its hold may have ended since the booking was read;
 * - a deleted one's is a marker of its last version, without a customer: nobody's data survives the deletion;
 * - there is no record of anything else.
 */
export function checkDirectory({ final }: History, chronicles: Map<number, Chronicle>, findings: Findings): void {
	if (final.customers === undefined) return;
	const records = new Map(final.customers.map((record) => [record.booking_id, record]));
	for (const { id, versions, listed } of chronicles.values()) {
		const last = versions.at(-1)!;
		if (listed !== undefined)
			checkRecord(records.get(id), { id, ...asOf(listed, records.get(id)) }, listed.customer, findings);
		else if (last.deleted) checkRecord(records.get(id), { id, version: last.number }, null, findings);
	}
	for (const { booking_id } of final.customers) {
		if (!chronicles.has(booking_id))
			findings.add(`the directory has a customer of booking ${booking_id}, which nobody made`);
	}
}

/** The version of the record that is right: where the hold ended between the two reads, that of its end. */
function asOf(listed: Booking, record: DirectoryRecord | undefined): { version: number } {
	const ended = listed.version + 1;
	const isHeld = listed.status === 'pending' && listed.expires_at !== null;
	return { version: isHeld && record?.version === ended ? ended : listed.version };
}

function checkRecord(
	record: DirectoryRecord | undefined,
	{ id, version }: { id: number; version: number },
	customer: DirectoryRecord['customer'],
	findings: Findings,
): void {
	if (record === undefined) findings.add(`booking ${id}: the directory does not have its customer`);
	else if (record.version !== version) {
		findings.add(`booking ${id}: the directory has its customer as of version ${record.version}, not ${version}`);
	} else if (!isDeepStrictEqual(record.customer, customer)) {
		findings.add(`booking ${id}: the directory has another customer of version ${version} than the booking`);
	}
}
