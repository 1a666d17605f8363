import { type History, isKind, type Operation, type OperationOf } from '../history.ts';
import type { Chronicle } from './chronicle.ts';
import { type Holding, identityOf, possible } from './holdings.ts';
import type { Maxima } from './maxima.ts';
import { StepFunction } from './step-function.ts';
import type { Findings } from './violation.ts';

const FULL = 'time slot is full';
const DUPLICATE = 'duplicate booking';

/** What was known of the places while a refusal was decided. */
export interface Grounds {
	chronicles: Map<number, Chronicle>;
	maxima: Map<number, Maxima>;
	/** How many may have held each place, moment by moment */
	occupied: Map<string, StepFunction>;
	/** The same by place and customer */
	customers: Map<string, StepFunction>;
}

export function occupancy(holdings: Holding[], keyOf: (holding: Holding) => string): Map<string, StepFunction> {
	const groups = Map.groupBy(holdings, keyOf);
	return new Map([...groups].map(([key, group]) => [key, new StepFunction(group.flatMap(comingAndGoing))]));
}

function comingAndGoing(holding: Holding): { time: number; by: number }[] {
	const { since, until } = possible(holding);
	return [
		{ time: since, by: 1 },
		{ time: until, by: -1 },
	];
}

export function customerKey(place: string, customer: string): string {
	return `${place} ${customer}`;
}

/**
 * Every refusal is justified.
 * - `time slot is full`: a maximum and a count of active bookings that each may have held at some moment of the request
 *   make it full.
 * - `duplicate booking`: at some moment of the request another booking of this customer may have held the place.
 *
 * And no refusal changed anything: a text that only refused requests named is in no booking and in no event.
 */
export function checkRefusals(history: History, grounds: Grounds, findings: Findings): void {
	checkEffects(history, findings);
	const { operations } = history;
	for (const operation of operations) {
		if (operation.outcome !== 'fail' || operation.answered?.status !== 400) continue;
		const { error } = operation.answered;
		if (error !== FULL && error !== DUPLICATE) continue;
		const claims = claimsOf(operation, grounds);
		if (claims === undefined) continue;
		const isJust = error === FULL ? isFull : isDuplicate;
		if (claims.some((claim) => isJust(claim, operation, grounds))) continue;
		const places = claims.map(({ place }) => place).join(' or ');
		findings.add(`operation ${operation.op} was refused with "${error}" on ${places}, which nothing justifies`);
	}
}

interface Claim {
	time_slot_id: number;
	place: string;
	customer: string | null;
}

/** The places, with their customers, that a request may have been about; undefined where its booking is not known. */
function claimsOf(operation: Operation, { chronicles }: Grounds): Claim[] | undefined {
	if (isKind(operation, 'create')) {
		const { time_slot_id, date, customer_email: email, customer_phone: phone } = operation.asked.body;
		return [{ time_slot_id, place: `${time_slot_id}:${date}`, customer: identityOf({ email, phone }) }];
	}
	if (!isKind(operation, 'update') && !isKind(operation, 'update customer')) return undefined;
	const chronicle = chronicles.get(operation.asked.booking_id);
	return chronicle && claimsOfChange(operation, chronicle);
}

/** One for each version that the booking may have had meanwhile. */
function claimsOfChange(operation: OperationOf<'update' | 'update customer'>, chronicle: Chronicle): Claim[] {
	return chronicle.versions.flatMap(({ state, from }, index) => {
		const replaced = chronicle.versions[index + 1]?.to ?? Number.POSITIVE_INFINITY;
		if (state === undefined || from > operation.to || replaced < operation.from) return [];
		const { date, time_slot_id } = isKind(operation, 'update') ? { ...state, ...operation.asked.body } : state;
		const customer = isKind(operation, 'update customer')
			? { ...state.customer, ...operation.asked.body }
			: state.customer;
		return [{ time_slot_id, place: `${time_slot_id}:${date}`, customer: identityOf(customer) }];
	});
}

function isFull({ time_slot_id, place }: Claim, { from, to }: Operation, { maxima, occupied }: Grounds): boolean {
	const max = maxima.get(time_slot_id)?.lowest(from, to);
	return max !== undefined && (occupied.get(place)?.highest(from, to) ?? 0) >= max;
}

function isDuplicate({ place, customer }: Claim, { from, to }: Operation, { customers }: Grounds): boolean {
	if (customer === null) return false;
	return (customers.get(customerKey(place, customer))?.highest(from, to) ?? 0) >= 1;
}

function checkEffects({ operations, final }: History, findings: Findings): void {
	const told = operations.flatMap((operation) => {
		const text = textOf(operation);
		return text == null ? [] : [{ text, operation }];
	});
	const possible = new Set(told.filter(({ operation }) => operation.outcome !== 'fail').map(({ text }) => text));
	const refused = new Map(
		told.filter(({ text }) => !possible.has(text)).map(({ text, operation }) => [text, operation]),
	);
	for (const { id, version, message } of [...final.bookings, ...final.events.map(({ data }) => data)]) {
		const operation = message === null ? undefined : refused.get(message);
		if (operation === undefined) continue;
		findings.add(`operation ${operation.op} was refused, and version ${version} of booking ${id} has its text`);
	}
}

/** The workload gives each request a text of its own. */
function textOf(operation: Operation): string | null | undefined {
	return isKind(operation, 'create') || isKind(operation, 'update') ? operation.asked.body.message : undefined;
}
