import { UsageError } from '../../ops/line/command.ts';

/** What a service answers where an operator asked for what cannot be done: one sentence. Nothing was changed. */
export interface Refused {
	refused: string;
}

export function isRefused(answer: object): answer is Refused {
	return 'refused' in answer;
}

/**
 * The answer, where there is one.
 * @throws UsageError with the sentence of a refusal
 */
export function accepted<T extends object>(answer: T | Refused): T {
	if (isRefused(answer)) throw new UsageError(answer.refused);
	return answer;
}
