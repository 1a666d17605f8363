/** Who somebody is to the API: one address, or one number */
export type Person = { email: string; phone?: undefined } | { phone: string; email?: undefined };

/** Undefined where a text is neither */
export function personIn(text: string): Person | undefined {
	const given = text.trim();
	if (/^[^@\s]+@[^@\s]+$/.test(given)) return { email: given };
	const number = given.replace(/[\s()/-]/g, '');
	return /^\+[1-9]\d{1,14}$/.test(number) ? { phone: number } : undefined;
}
