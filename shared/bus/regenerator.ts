import { Errors } from 'moleculer';
import { ApiError, isErrorType } from '../contract/errors.ts';

/**
 * Carries errors over the bus: an error of the catalogue arrives as `ApiError` again, everything else without its stack
 * and data, which would travel on the wire (field's experience: custom classes do not survive Moleculer's transit).
 */
export class ApiErrorRegenerator extends Errors.Regenerator {
	override restoreCustomError(plain: Errors.PlainMoleculerError): Error {
		if (plain.name === 'ApiError' && isErrorType(plain.type)) {
			const { retry_after } = (plain.data ?? {}) as { retry_after?: number };
			return new ApiError(plain.type, plain.message, retry_after);
		}
		return undefined as unknown as Error; // Moleculer then restores its own classes; its typing lacks this case
	}

	override extractPlainError(error: Error): Errors.PlainMoleculerError {
		const { name, message, nodeID, code, type, retryable } = super.extractPlainError(error);
		const data = error instanceof ApiError ? error.data : null;
		return { name, message, nodeID, code, type, retryable, stack: '', data } as Errors.PlainMoleculerError;
	}
}
