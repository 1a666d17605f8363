import type { ExportCursor, ExportPiece } from '../../../shared/contract/actions.ts';
import { normalisedEmail, type Person } from '../../../shared/contract/person.ts';
import {
	CustomerFilters,
	CustomerList,
	type DirectoryCustomer,
	Erasure,
	PersonExport,
} from '../../../shared/contract/schemas/customer.ts';
import { DEFAULT_PAGE_SIZE, Page, PageSize, pagination } from '../../../shared/contract/schemas/pagination.ts';
import { Type } from '../../../shared/contract/schemas/schema.ts';
import type { Faults } from '../validation/faults.ts';
import { directoryCustomerExample, personExportExample } from './examples.ts';
import { type Operation, type OperationRequest, operation } from './operation.ts';
import { CUSTOMERS_A_PIECE, inPieces, offsetOf, paginationOf } from './pieces.ts';

/** Bookings of one export, beside its bytes: memory is held for all of it */
const MOST_BOOKINGS = 1_000;
/** Bytes of an export at which it ends with the bookings that it is at: they come some at a time, with their events */
const ENOUGH_BYTES = 4 * 1024 * 1024;

/** One address tells one person; two may tell two. */
function checkOneAddress({ email, phone }: CustomerFilters, faults: Faults): void {
	if (email === undefined && phone === undefined)
		faults.add('email', 'required', 'is required where phone is not given');
	if (email !== undefined && phone !== undefined) faults.add('phone', 'contradiction', 'must not be given with email');
}

function personIn({ email, phone }: CustomerFilters): Person {
	if (email !== undefined) return { kind: 'email', value: normalisedEmail(email) };
	return { kind: 'phone', value: phone! };
}

/** In the order of the reference. */
export const customersOperations: readonly Operation[] = [
	operation({
		id: 'listCustomers',
		method: 'GET',
		path: '/v1/customers',
		action: 'customer.list',
		scope: 'read',
		highResource: true,
		tag: 'Customers',
		summary: 'List customers',
		description:
			'The directory: whom each booking is for, the newest first. With `email` and `phone` only who has both. It follows a ' +
			'change of a booking within a second.',
		parameters: {
			query: Type.Object({
				...CustomerFilters.properties,
				page: Type.Optional(Page),
				page_size: Type.Optional(PageSize),
			}),
		},
		answer: {
			status: 200,
			schema: CustomerList,
			description: 'One page of the directory',
			example: { customers: [directoryCustomerExample], pagination: pagination(1, DEFAULT_PAGE_SIZE, 1) },
		},
		errors: [],
		headers: {},
		async run({ query: { page = 1, page_size = DEFAULT_PAGE_SIZE, ...filters }, call }) {
			const offset = offsetOf(page, page_size);
			const sizes = { first: CUSTOMERS_A_PIECE, next: CUSTOMERS_A_PIECE };
			const { rows, total } = await inPieces<DirectoryCustomer>(page_size, sizes, async (limit, last) => {
				const asked = { filters, offset, limit, below: last?.booking_id };
				const { customers, total_items } = await call('customer.list', asked);
				return { rows: customers, total: total_items };
			});
			return { data: { customers: rows, pagination: paginationOf(page, page_size, rows.length, total) } };
		},
	}),
	operation({
		id: 'exportCustomer',
		method: 'GET',
		path: '/v1/customers/export',
		action: 'customer.export',
		scope: 'read',
		highResource: true,
		tag: 'Customers',
		summary: 'Export what is kept about a person',
		description:
			'Everything that is kept about who has this `email`, or this `phone`: bookings, first answers of Idempotency-Keys, ' +
			'events, to which webhooks these went. It ends behind 1,000 bookings, or 4 MiB; `has_more` then says so.',
		parameters: {
			query: Type.Object({
				...CustomerFilters.properties,
				after: Type.Optional(
					Type.Integer({
						minimum: 0,
						maximum: Number.MAX_SAFE_INTEGER,
						description: '`next_after` of the last answer',
					}),
				),
			}),
		},
		sample: 'email',
		answer: {
			status: 200,
			schema: PersonExport,
			description: 'What is kept',
			example: personExportExample,
		},
		errors: [],
		headers: {},
		check: ({ query }, faults) => checkOneAddress(query, faults),
		async run({ query: { after = 0, ...filters }, call }) {
			return { data: await exportOf(personIn(filters), after, call) };
		},
	}),
	operation({
		id: 'eraseCustomer',
		method: 'POST',
		path: '/v1/customers/erase',
		action: 'customer.erase',
		scope: 'write',
		tag: 'Customers',
		summary: 'Erase a person',
		description:
			'Takes name, address, number, `message`, `metadata` and `cancel_reason` out of the bookings of who has this `email`, or ' +
			'this `phone`, and out of all that was told of them: first answers, events, deliveries that are yet to be made, the ' +
			'directory. The bookings keep place, status and id, and get a new `version`. It goes on after the answer; at its end there ' +
			'is a `customer.erased` event. What is booked later stays.',
		body: { schema: CustomerFilters, resource: CustomerFilters, example: { email: 'ada@example.com' } },
		answer: {
			status: 202,
			schema: Erasure,
			description: 'How many bookings it is about, deleted ones that are still told of among them',
			example: { bookings: 1 },
		},
		errors: [],
		headers: {},
		check: ({ body }, faults) => checkOneAddress(body, faults),
		async run({ body, call }) {
			return { data: await call('customer.erase', { person: personIn(body) }) };
		},
	}),
];

type Call = OperationRequest<unknown, unknown, unknown>['call'];

async function exportOf(person: Person, after: number, call: Call): Promise<PersonExport> {
	const data: PersonExport = {
		email: person.kind === 'email' ? person.value : null,
		phone: person.kind === 'phone' ? person.value : null,
		exported_at: new Date().toISOString(),
		bookings: [],
		first_answers: [],
		events: [],
		has_more: false,
		next_after: after,
	};
	let bytes = 0;
	let begun = 0;
	for (let from: ExportCursor | null = { after }; from !== null; ) {
		const piece: ExportPiece = await call('customer.export', { person, from });
		data.bookings.push(...piece.bookings);
		data.first_answers.push(...piece.first_answers);
		data.events.push(...piece.events);
		begun += piece.begun;
		bytes += Buffer.byteLength(JSON.stringify(piece));
		data.has_more = piece.next !== null;
		data.next_after = piece.after;
		const isWhole: boolean = piece.next?.rest === undefined; // events of a booking are not torn apart
		from = isWhole && (begun >= MOST_BOOKINGS || bytes >= ENOUGH_BYTES) ? null : piece.next;
	}
	return data;
}
