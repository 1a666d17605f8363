/** What a service answers where an operator asked for what cannot be done: one sentence. Nothing was changed. */
export interface Refused {
	refused: string;
}

export function isRefused(answer: object): answer is Refused {
	return 'refused' in answer;
}
