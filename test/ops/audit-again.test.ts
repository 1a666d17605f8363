import { expect, test } from '@jest/globals';
import { ServiceBroker } from 'moleculer';
import { audit } from '../../ops/commands/audit.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import type { AuditPage } from '../../shared/contract/reports.ts';

const PAGE: AuditPage = { bookings: 3, places: 1, findings: [], above_maximum: [], next: null };

test.each([
	['service_unavailable', false, 3],
	['service_unavailable', true, 1],
	['internal_error', false, 1],
] as const)(
	'When a page is answered %s, repairing: %s, then it is asked for %i times',
	async (error, repair, times) => {
		const broker = new ServiceBroker({ logger: false });
		let asked = 0;
		broker.createService({
			name: 'booking',
			actions: {
				audit: () => {
					asked++;
					if (asked < 3) throw new ApiError(error);
					return PAGE;
				},
			},
		});
		broker.createService({ name: 'accounts', actions: { recordCommand: () => null } });
		await broker.start();
		const outcome = audit.run(broker, { repair } as never);
		if (times === 1) await expect(outcome).rejects.toThrow(ApiError);
		else expect(await outcome).toMatchObject({ data: { bookings: 3, findings_count: 0 }, exitCode: 0 });
		expect(asked).toBe(times);
		await broker.stop();
	},
);
