import type { ActionName, Params, Principal } from '../../../shared/actions.ts';
import { type Caller, call } from '../../../shared/call.ts';
import { Deadline } from '../../../shared/deadline.ts';
import type { Admission } from '../admission.ts';
import type { Operation, OperationRequest } from '../operations/operation.ts';
import type { Exchange } from './exchange.ts';
import type { QuotaRecorder } from './quota-recorder.ts';
import type { CheckedRequest } from './validate.ts';

interface Parts {
	admission: Admission;
	caller: Caller;
	isStopping: () => boolean;
	recorder: QuotaRecorder;
}

/**
 * Runs an operation for an account. Every call that it makes carries the request's id and what is left of its deadline.
 * @throws gateway_timeout when the deadline has passed, and whatever error of the catalogue the actions throw
 */
export function callOperation(
	operation: Operation,
	request: CheckedRequest,
	principal: Principal,
	exchange: Exchange,
	{ admission, caller, isStopping, recorder }: Parts,
) {
	const patience = operation.patience?.(request.query) ?? 0;
	if (patience > 0) exchange.deadline = new Deadline(exchange.deadline.remaining() + patience);
	const callForAccount: OperationRequest<unknown, unknown, unknown>['call'] = (action, params) => {
		exchange.deadline.assertTimeLeft();
		const options = { requestID: exchange.requestId, timeout: Math.ceil(exchange.deadline.remaining()) };
		return call(
			caller,
			action,
			{ ...params, account_id: principal.account_id } as Params<ActionName>,
			options,
		) as never;
	};
	const recordRequests = () => recorder.record();
	const outcome = operation.run({ ...request, isStopping, recordRequests, call: callForAccount });
	return patience > 0 ? admission.whileIdle(outcome) : outcome;
}
