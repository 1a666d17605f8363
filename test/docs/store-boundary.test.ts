import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from './sources.ts';

/** Of each service that keeps the boundary: its files that know the database. A new one is a decision. */
const STORES: Record<string, { store: string[]; everyAccount: string[] }> = {
	accounts: {
		store: [
			'account.model.ts',
			'accounts-store.ts',
			'keys/key-store.ts',
			'operators/operator-log.ts',
			'plan.model.ts',
			'quota/usage-store.ts',
		],
		everyAccount: ['keys/key-store.ts', 'operators/operator-log.ts'],
	},
	booking: {
		store: [
			'document/all-bookings.ts',
			'document/booking-lists.ts',
			'document/booking-store.ts',
			'document/booking.model.ts',
			'document/closures.ts',
			'document/crowds.ts',
			'document/list-filters.ts',
			'document/person-bookings.ts',
			'document/seated-bookings.ts',
			'document/settle-change.ts',
			'document/settle-insert.ts',
		],
		everyAccount: ['document/all-bookings.ts', 'document/closures.ts'],
	},
	notifications: {
		store: [
			'log/event-store.ts',
			'webhooks/store/delivery-store.ts',
			'webhooks/store/delivery.model.ts',
			'webhooks/store/endpoint-store.ts',
			'webhooks/store/queue-store.ts',
			'webhooks/store/queue-time.ts',
			'webhooks/store/webhook-store.ts',
			'webhooks/store/webhook.model.ts',
		],
		everyAccount: [
			'log/event-store.ts',
			'webhooks/store/delivery-store.ts',
			'webhooks/store/endpoint-store.ts',
			'webhooks/store/queue-store.ts',
			'webhooks/store/webhook-store.ts',
		],
	},
	catalog: {
		store: [
			'catalog-store.ts',
			'feeds/feed-store.ts',
			'removal-store.ts',
			'schedule/override-store.ts',
			'schedule/replacement-store.ts',
			'schedule/slot-store.ts',
			'schedule/slot.model.ts',
			'service-store.ts',
			'service.model.ts',
		],
		everyAccount: ['feeds/feed-store.ts', 'removal-store.ts', 'schedule/slot-store.ts', 'service-store.ts'],
	},
	customer: {
		store: ['customer-store.ts', 'erasure/erasure-store.ts', 'former-customers.ts'],
		everyAccount: ['customer-store.ts', 'erasure/erasure-store.ts', 'former-customers.ts'],
	},
};

/** What only a store may say: operators, the driver, its errors, and what reads past the model. */
const OF_THE_DATABASE = [
	/\$[a-z]/i, // an operator or the path of a field; what a template inserts has a brace behind its dollar
	/from '(mongoose|mongodb)'/,
	/shared\/store\//,
	/\b11_?000\b/,
	/\b\w*[mM]odel\.(aggregate|count|delete|distinct|exists|find|insert|replace|update)/,
];

const code = (path: string) => readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');

/** The files of a service whose code matches, without its comments. */
function filesWith(service: string, patterns: RegExp[]): string[] {
	const folder = join(root, 'services', service);
	const files = globSync('**/*.ts', { cwd: folder });
	expect(files.length).toBeGreaterThan(2);
	return files.filter((file) => patterns.some((pattern) => pattern.test(code(join(folder, file))))).sort();
}

describe('the boundary of the store', () => {
	for (const [service, { store, everyAccount }] of Object.entries(STORES)) {
		test(`Of ${service}, only its store knows the database’s operators, its driver and its errors`, () => {
			expect(filesWith(service, OF_THE_DATABASE)).toEqual(store);
		});

		test(`Of ${service}, only what is listed asks about every account at once`, () => {
			expect(filesWith(service, [/everyAccount|removeEverywhere/])).toEqual(everyAccount);
		});
	}
});
