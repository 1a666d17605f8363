import type { Caller } from '../../../shared/bus/call.ts';
import type { AuditPage, AuditParams } from '../../../shared/contract/reports.ts';
import type { Logger } from '../../../shared/log/log.ts';
import type { BookingEngine } from '../booking-engine.ts';
import { auditBookings } from './audit-bookings.ts';
import { auditPlaces } from './audit-occurrences.ts';

/**
 * One page of the audit of every account: first each booking by itself, then each slot and date with its maximum. A page
 * reads at most some hundred bookings and takes about a second more where it found something, for it looks twice.
 */
export function auditPage(
	engine: BookingEngine,
	caller: Caller,
	params: AuditParams,
	logger: Logger,
): Promise<AuditPage> {
	const { after = { booking: 0 } } = params;
	if ('booking' in after) return auditBookings(engine, caller, params, after.booking, logger);
	return auditPlaces(engine, params, after.place);
}
