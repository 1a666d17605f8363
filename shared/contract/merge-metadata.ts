import { ApiError } from './errors.ts';
import { METADATA_LIMITS, type Metadata, type MetadataChange } from './schemas/metadata.ts';

/**
 * Metadata after a change: what the change names is set or, with `null`, removed; the rest stays (contract §1).
 * @throws invalid_request where it would have too many keys, or too long ones and texts together
 */
export function mergeMetadata(before: Metadata, change: MetadataChange): Metadata {
	const entries = Object.entries({ ...before, ...change }).filter(([, text]) => text !== null) as [string, string][];
	const bytes = entries.reduce((sum, [key, text]) => sum + Buffer.byteLength(key) + Buffer.byteLength(text), 0);
	if (entries.length > METADATA_LIMITS.keys) throw refused(`must have at most ${METADATA_LIMITS.keys} keys`);
	if (bytes > METADATA_LIMITS.bytes) {
		throw refused(`must have keys and texts of at most ${METADATA_LIMITS.bytes} bytes in all, as UTF-8`);
	}
	return Object.fromEntries(entries);
}

function refused(message: string): ApiError {
	return ApiError.naming('invalid_request', [{ field: 'metadata', code: 'wrong_length', message }]);
}
