import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceBroker } from 'moleculer';
import { call } from '../../shared/bus/call.ts';
import { isError } from '../../shared/contract/errors.ts';
import type { AboveMaximum, AuditCursor, AuditPage, AuditParams, Finding } from '../../shared/contract/reports.ts';
import { id } from '../line/arguments.ts';
import { command, recordCommand, UsageError } from '../line/command.ts';
import { count, table } from '../tables.ts';

/** Findings that are kept; the rest are counted */
const MOST = 1_000;
const PAGE_TIMEOUT = 30_000; // ms
/** Tries of a page, and ms between two: beside other load, a store may take longer than a request may */
const [TRIES, PAUSE] = [10, 1_000];

interface Audit {
	bookings: number;
	places: number;
	findings_count: number;
	repaired_count: number;
	findings: Finding[];
	above_maximum: AboveMaximum[];
}

export const audit = command({
	name: 'audit',
	summary: 'counts every slot and date against its maximum and its keys; 0 findings is the promise',
	parameters: { service: { meaning: 'Only the bookings of this service', parse: id, optional: true } },
	options: { repair: { meaning: 'Mends what can be mended in one write of one booking, and says what it changed' } },
	needs: ['booking', 'catalog'],
	async run(broker, { service, repair }) {
		const found: Audit = {
			bookings: 0,
			places: 0,
			findings_count: 0,
			repaired_count: 0,
			findings: [],
			above_maximum: [],
		};
		if (repair) await recordCommand(broker, 'bookings.repaired', service === undefined ? 'all' : String(service));
		let after: AuditCursor | null | undefined;
		do {
			const params = { ...(service === undefined ? {} : { service_id: service }), ...(after ? { after } : {}), repair };
			const page = await pageOf(broker, params);
			found.bookings += page.bookings;
			found.places += page.places;
			found.findings_count += page.findings.length;
			found.repaired_count += page.findings.filter(({ repaired }) => repaired !== null).length;
			found.findings.push(...page.findings.slice(0, MOST - found.findings.length));
			found.above_maximum.push(...page.above_maximum.slice(0, MOST - found.above_maximum.length));
			after = page.next;
		} while (after !== null);
		if (service !== undefined && found.bookings === 0 && !(await isService(broker, service))) {
			throw new UsageError(`There is no service ${service}.`); // a deleted one may have left bookings, which were looked at
		}
		return { data: found, text: textOf(found), exitCode: found.findings_count === 0 ? 0 : 1 };
	},
});

/** A page that only looks is asked for again; one that repairs is not, for what it had mended would never be told. */
async function pageOf(broker: ServiceBroker, params: AuditParams): Promise<AuditPage> {
	for (let tries = 1; ; tries++) {
		try {
			return await call(broker, 'booking.audit', params, { timeout: PAGE_TIMEOUT });
		} catch (error) {
			if (params.repair || tries === TRIES || !isError(error, 'service_unavailable')) throw error;
			await delay(PAUSE);
		}
	}
}

async function isService(broker: ServiceBroker, service_id: number): Promise<boolean> {
	return (await call(broker, 'catalog.findService', { service_id })) !== null;
}

function textOf({ bookings, places, findings_count, repaired_count, findings, above_maximum }: Audit): string {
	const checked = `${count(bookings, 'booking')} and ${count(places, 'place')} (slot and date) looked at`;
	const repaired = repaired_count === 0 ? '' : `, ${repaired_count.toLocaleString('en')} repaired`;
	return [
		...(above_maximum.length === 0 ? [] : [aboveMaximum(above_maximum), '']),
		...findings.map(({ kind, place, booking_ids, detail, advice, repaired: mended }) =>
			[
				`${kind}  slot and date ${place}, booking ${booking_ids.join(', ')}`,
				`  ${detail}`,
				mended === null ? `  to do: ${advice}` : `  repaired: ${mended}`,
			].join('\n'),
		),
		...(findings.length < findings_count ? [`… and ${findings_count - findings.length} more`] : []),
		`${checked}: ${count(findings_count, 'finding')}${repaired}`,
	].join('\n');
}

function aboveMaximum(rows: AboveMaximum[]): string {
	return [
		'Above the maximum, as a lowering leaves it (no findings):',
		table(
			['slot and date', 'bookings', 'maximum', 'seats above it'],
			rows.map(({ place, active, max, seats_above }) => [place, active, max, seats_above]),
		),
	].join('\n');
}
