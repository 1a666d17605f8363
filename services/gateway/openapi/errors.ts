import { catalogue, type ErrorType } from '../../../shared/errors.ts';
import type { Operation } from '../operations/operation.ts';

/** What can go wrong with every operation. */
const COMMON: readonly ErrorType[] = [
	'invalid_request',
	'missing_api_key',
	'invalid_api_key',
	'insufficient_scope',
	'account_suspended',
	'internal_error',
	'service_unavailable',
	'gateway_timeout',
];
/** What can go wrong with every body. */
const OF_BODIES: readonly ErrorType[] = [
	'malformed_json',
	'request_timeout',
	'body_too_large',
	'unsupported_media_type',
];

/** Where the text names what was wrong, an example says more than the catalogue. */
const EXAMPLES: Partial<Record<ErrorType, string>> = {
	invalid_request: 'page_size: must be an integer from 1 to 1000',
	unprocessable: 'timezone: "Mars/Base" is not an IANA time zone',
};

const HEADERS: Partial<Record<number, string[]>> = {
	401: ['WWW-Authenticate'],
	409: ['Retry-After'],
	503: ['Retry-After'],
};

/** The error answers of an operation by status, with an example of each text. */
export function errorResponses(operation: Operation): Record<string, unknown> {
	const types = new Set([...COMMON, ...(operation.body ? OF_BODIES : []), ...operation.errors]);
	const byStatus = Map.groupBy(types, (type) => catalogue[type].status);
	const statuses = [...byStatus].sort(([a], [b]) => a - b);
	return Object.fromEntries(statuses.map(([status, ofStatus]) => [String(status), errorResponse(status, ofStatus)]));
}

function errorResponse(status: number, types: ErrorType[]): unknown {
	const texts = types.map((type) => [type, EXAMPLES[type] ?? catalogue[type].text] as const);
	const headers = ['X-Request-Id', ...(HEADERS[status] ?? [])];
	return {
		description: texts.map(([, text]) => `\`${text}\``).join(', '),
		headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
		content: {
			'application/json': {
				schema: { $ref: '#/components/schemas/Error' },
				examples: Object.fromEntries(texts.map(([type, text]) => [type, { value: { error: text } }])),
			},
		},
	};
}
