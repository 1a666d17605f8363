import { isMoment, isRealDate, isRealLocalDateTime } from '../../../shared/calendar/plain-date.ts';
import { isEmailAddress } from './email.ts';
import type { JsonSchema } from './json-schema.ts';
import { hasLength, isPlainText, isVisible } from './texts.ts';

interface Format {
	accepts(text: string): boolean;
	/** What would be right, to be read after "must be" */
	expected: string;
}

/** The formats of shared/contract/schemas/schema.ts. */
const formats: Record<string, (schema: JsonSchema) => Format> = {
	text: (schema) => ({ accepts: isPlainText, expected: `a text of ${length(schema)} without control characters` }),
	name: (schema) => ({
		accepts: (text) => isPlainText(text) && isVisible(text),
		expected: `a text of ${length(schema)} without control characters, at least one of them visible`,
	}),
	'time-zone': () => ({ accepts: isPlainText, expected: 'an IANA time zone name such as Europe/Berlin' }),
	date: () => ({ accepts: isRealDate, expected: 'a real date, YYYY-MM-DD' }),
	'date-time': () => ({ accepts: isMoment, expected: 'a moment in ISO 8601 such as 2026-11-21T09:30:00.000Z' }),
	'local-date-time': () => ({ accepts: isRealLocalDateTime, expected: 'a real date and time, YYYY-MM-DD HH:MM:SS' }),
	email: () => ({ accepts: isEmailAddress, expected: 'an e-mail address of at most 254 characters' }),
	e164: (schema) => {
		const pattern = new RegExp(schema.pattern!);
		return { accepts: (text) => pattern.test(text), expected: 'a phone number in E.164 such as +15550100' };
	},
};

/**
 * The rule for a string. The length comes first: what is too long never reaches a pattern.
 * @throws Error where the schema names a format that has no rule here
 */
export function formatOf(schema: JsonSchema): Format {
	const format = formats[schema.format ?? '']?.(schema);
	if (format === undefined) throw new Error(`no rule for the string format "${schema.format}"`);
	const { minLength = 0, maxLength = Number.MAX_SAFE_INTEGER } = schema;
	return {
		accepts: (text) => hasLength(text, minLength, maxLength) && format.accepts(text),
		expected: format.expected,
	};
}

function length({ minLength = 0, maxLength }: JsonSchema): string {
	return minLength > 0 ? `${minLength} to ${maxLength} characters` : `at most ${maxLength} characters`;
}
