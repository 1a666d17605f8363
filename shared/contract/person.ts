import type { Customer } from './schemas/booking.ts';

/** Somebody who books, told by one address: whoever has it. An e-mail address is in lower case. */
export interface Person {
	kind: 'email' | 'phone';
	value: string;
}

/** Addresses are compared without case, as every large mail provider does. */
export function normalisedEmail(email: string): string {
	return email.toLowerCase();
}

type Addresses = Pick<Customer, 'email' | 'phone'>;

/** Each of the addresses of a customer tells a person. */
export function personsOf({ email, phone }: Addresses): Person[] {
	const persons: Person[] = [];
	if (email !== null) persons.push({ kind: 'email', value: normalisedEmail(email) });
	if (phone !== null) persons.push({ kind: 'phone', value: phone });
	return persons;
}

export function isSamePerson(left: Person, right: Person): boolean {
	return left.kind === right.kind && left.value === right.value;
}

/**
 * Whether what a booking tells of its customer is told of the person, for a booking that had the person's address at some time:
 * unless it names somebody else's. Where no address is known, yet or any more, the name is still the person's.
 */
export function tellsOf({ kind, value }: Person, customer: Addresses): boolean {
	const address = personsOf(customer).find((one) => one.kind === kind);
	return address === undefined || address.value === value;
}
