import { createHash } from 'node:crypto';

/**
 * Who is the same customer (contract §4): the same e-mail address, whatever its case, or, where there is none, the same
 * phone number. A hash, for unique keys end up in error texts and logs.
 * @returns `<kind>:<hash>`, or null where no duplicate can be told
 */
export function customerIdentity(customer: { email: string | null; phone: string | null }): string | null {
	if (customer.email !== null) return `e:${digest(normalisedEmail(customer.email))}`;
	if (customer.phone !== null) return `p:${digest(customer.phone)}`;
	return null;
}

/** Addresses are compared without case, as every large mail provider does. */
export function normalisedEmail(email: string): string {
	return email.toLowerCase();
}

function digest(text: string): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, 32);
}
