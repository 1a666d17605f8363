import { useDraft } from './use-draft.ts';

/**
 * The same request has the same key, so that sending it again books once, with the next API key, too; another request has
 * another.
 */
export function useIdempotencyKey(form: string, request: string): string {
	const [known, setKnown] = useDraft(`${form}:key`, () => ({ request, key: newKey() }));
	if (known.request === request) return known.key;
	const renewed = { request, key: newKey() };
	setKnown(renewed);
	return renewed.key;
}

/** Not `randomUUID`, which browsers have for secure addresses only */
function newKey(): string {
	return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
