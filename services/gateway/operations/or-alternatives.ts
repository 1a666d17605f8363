import type { Params } from '../../../shared/contract/actions.ts';
import { ApiError, type ErrorType } from '../../../shared/contract/errors.ts';
import type { OperationRequest } from './operation.ts';

type Call = OperationRequest<unknown, unknown, unknown>['call'];
type Wanted = Omit<Params<'booking.alternatives'>, 'account_id' | 'count'>;

const FOR_WANT_OF_A_PLACE: readonly string[] = ['time_slot_full', 'closed', 'notice', 'horizon'] satisfies ErrorType[];

/** A refusal, with what can be booked instead where the request asks for it; where that fails, the refusal alone. */
export async function orAlternatives<T>(
	call: Call,
	count: number | undefined,
	asked: Promise<T>,
	place: () => Promise<Wanted>,
): Promise<T> {
	try {
		return await asked;
	} catch (error) {
		if (count === undefined || !(error instanceof ApiError) || !FOR_WANT_OF_A_PLACE.includes(error.type)) throw error;
		const found = await place()
			.then((wanted) => call('booking.alternatives', { ...wanted, count }))
			.catch(() => undefined);
		throw found === undefined ? error : error.withAlternatives(found);
	}
}
