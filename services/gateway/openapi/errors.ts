import { ApiError, catalogue, type ErrorType } from '../../../shared/contract/errors.ts';
import type { Operation } from '../operations/operation.ts';
import { envelope } from '../pipeline/answer.ts';
import { RATE_HEADERS } from './components.ts';

/** What can go wrong with every operation. */
const COMMON: readonly ErrorType[] = [
	'invalid_request',
	'missing_api_key',
	'invalid_api_key',
	'insufficient_scope',
	'account_suspended',
	'rate_limit_exceeded',
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
const EXAMPLES: Partial<Record<ErrorType, ApiError>> = {
	invalid_request: ApiError.naming('invalid_request', [
		{ field: 'page_size', code: 'out_of_range', message: 'must be an integer from 1 to 1000' },
	]),
	unprocessable: ApiError.naming('unprocessable', [
		{ field: 'timezone', code: 'unknown_time_zone', message: '"Mars/Base" is not an IANA time zone' },
	]),
};

const HEADERS: Partial<Record<number, string[]>> = {
	401: ['WWW-Authenticate'],
	409: ['Retry-After'],
	429: ['Retry-After'],
	503: ['Retry-After'],
};

/** Nobody knows whose key it is: no account, no rate. */
const WITHOUT_ACCOUNT = 401;

/** The error answers of an operation by status, with an example of each text. */
export function errorResponses(operation: Operation): Record<string, unknown> {
	const types = new Set([...COMMON, ...(operation.body ? OF_BODIES : []), ...operation.errors]);
	const byStatus = Map.groupBy(types, (type) => catalogue[type].status);
	const statuses = [...byStatus].sort(([a], [b]) => a - b);
	return Object.fromEntries(statuses.map(([status, ofStatus]) => [String(status), errorResponse(status, ofStatus)]));
}

function errorResponse(status: number, types: ErrorType[]): unknown {
	const errors = types.map((type) => [type, EXAMPLES[type] ?? withSeconds(type)] as const);
	const rate = status === WITHOUT_ACCOUNT ? [] : RATE_HEADERS;
	const headers = ['X-Request-Id', ...rate, ...(HEADERS[status] ?? [])];
	return {
		description: errors.map(([, { message }]) => `\`${message}\``).join(', '),
		headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
		content: {
			'application/json': {
				schema: errorSchema(types),
				examples: Object.fromEntries(errors.map(([type, error]) => [type, { value: JSON.parse(envelope(error)) }])),
			},
		},
	};
}

/** Two shapes under one status only where an operation has a bucket of its own. */
function errorSchema(types: ErrorType[]): unknown {
	const names = new Set(types.map((type) => (type === 'rate_limit_exceeded' ? 'PlanLimitError' : 'Error')));
	const schemas = [...names].map((name) => ({ $ref: `#/components/schemas/${name}` }));
	return schemas.length === 1 ? schemas[0] : { oneOf: schemas };
}

function withSeconds(type: ErrorType): ApiError {
	return new ApiError(type, undefined, catalogue[type].status === 429 ? 1 : undefined);
}
