import type { ActionHandler, ActionSchema, Context, Middleware } from 'moleculer';
import { Errors } from 'moleculer';
import { ApiError, type Fault, isErrorType } from '../contract/errors.ts';
import type { Logger } from '../log/log.ts';
import { isUnavailable } from '../store/write-errors.ts';

/**
 * The one exit for errors of actions: an error of the catalogue passes; a store that cannot be reached is
 * `service_unavailable`; all else is a bug: a full log line here, `internal error` outside.
 */
export function errorBoundary(logger: Logger): Middleware {
	return {
		name: 'ErrorBoundary',
		localAction(next: ActionHandler, action: ActionSchema) {
			return async function boundary(this: unknown, context: Context) {
				try {
					return await next.call(this as never, context);
				} catch (error) {
					throw translate(error, { action: action.name, request_id: context.requestID }, logger);
				}
			};
		},
	};
}

/** What a caller is told of an error: one of the catalogue as it is, of any other only which one it is to him. */
export function translate(error: unknown, details: Record<string, unknown>, logger: Logger): Error {
	if (error instanceof ApiError) return error;
	if (isUnavailable(error)) {
		logger.warn({ ...details, reason: (error as Error).message }, 'store unavailable');
		return new ApiError('service_unavailable');
	}
	logger.error({ ...details, err: error }, 'internal error');
	return new ApiError('internal_error');
}

/**
 * Carries errors over the bus: an error of the catalogue arrives as `ApiError` again, everything else without its stack
 * and data, which would travel on the wire (field's experience: custom classes do not survive Moleculer's transit). Moleculer's
 * own are made anew from the names in their data; without any it could not, and the caller would get no answer.
 */
export class ApiErrorRegenerator extends Errors.Regenerator {
	override restoreCustomError(plain: Errors.PlainMoleculerError): Error {
		if (plain.name === 'ApiError' && isErrorType(plain.type)) {
			const { retry_after, faults } = (plain.data ?? {}) as { retry_after?: number; faults?: Fault[] };
			return new ApiError(plain.type, plain.message, retry_after, faults);
		}
		return undefined as unknown as Error; // Moleculer then restores its own classes; its typing lacks this case
	}

	override extractPlainError(error: Error): Errors.PlainMoleculerError {
		const { name, message, nodeID, code, type, retryable } = super.extractPlainError(error);
		const data = error instanceof ApiError ? error.data : namesIn(error);
		return { name, message, nodeID, code, type, retryable, stack: '', data } as Errors.PlainMoleculerError;
	}
}

function namesIn(error: Error): object {
	const { action, nodeID } = (error as { data?: { action?: string; nodeID?: string } | null }).data ?? {};
	return { action, nodeID };
}
