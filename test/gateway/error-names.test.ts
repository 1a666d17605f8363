import { expect, test } from '@jest/globals';
import { catalogue, faultCodes } from '../../shared/contract/errors.ts';

/** Codes by status, as clients compare them. A new one is added here; none is ever taken away, renamed or moved. */
const CODES = {
	400: [
		...['invalid_request', 'malformed_json', 'cancel_reason_required', 'time_slot_full'],
		...['closed', 'notice', 'horizon', 'hold_expired', 'duplicate_booking'],
	],
	401: ['missing_api_key', 'invalid_api_key'],
	403: ['insufficient_scope', 'account_suspended'],
	404: [
		...['not_found', 'service_not_found', 'time_slot_not_found', 'booking_not_found'],
		...['date_override_not_found', 'calendar_feed_not_found', 'webhook_not_found', 'delivery_not_found'],
	],
	405: ['method_not_allowed'],
	408: ['request_timeout'],
	409: ['version_conflict', 'request_in_progress', 'webhook_disabled'],
	410: ['events_expired'],
	412: ['version_mismatch'],
	413: ['body_too_large'],
	415: ['unsupported_media_type'],
	422: [
		...['unprocessable', 'idempotency_key_reused', 'services_limit_reached'],
		...[
			'date_overrides_limit_reached',
			'calendar_feeds_limit_reached',
			'webhooks_limit_reached',
			'webhooks_per_url_reached',
		],
	],
	429: ['calendar_feed_rate_limit_exceeded', 'booking_rate_limit_exceeded', 'rate_limit_exceeded'],
	431: ['headers_too_large'],
	500: ['internal_error'],
	503: ['service_unavailable'],
	504: ['gateway_timeout'],
};

const FAULTS = [
	...['required', 'unknown', 'repeated', 'wrong_type', 'wrong_format', 'wrong_length', 'out_of_range', 'not_one_of'],
	...['not_allowed', 'read_only', 'contradiction', 'wrong_weekday', 'outside_validity', 'unknown_time_zone'],
];

test('P1: When codes are compared with those that clients know, then each is there, with its status', () => {
	const byStatus = Map.groupBy(Object.entries(catalogue), ([, { status }]) => status);
	const codes = Object.fromEntries([...byStatus].map(([status, errors]) => [status, errors.map(([code]) => code)]));
	expect(codes).toEqual(CODES);
});

test('P1: When codes of faults are compared with those that clients know, then each is there', () => {
	expect(faultCodes).toEqual(FAULTS);
});
