import { isRefused, type Refused } from '../../shared/contract/refused.ts';
import { UsageError } from './command.ts';

/**
 * The answer, where there is one.
 * @throws UsageError with the sentence of a refusal
 */
export function accepted<T extends object>(answer: T | Refused): T {
	if (isRefused(answer)) throw new UsageError(answer.refused);
	return answer;
}
