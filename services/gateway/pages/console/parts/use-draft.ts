import { useEffect, useRef, useState } from 'preact/hooks';
import { drafts, farewell, session } from '../api/session.ts';

/**
 * The state of a field which outlives a key that ends while somebody types.
 * @param name form and field; with an id in it that no other account has
 */
export function useDraft<T>(name: string, initial: T | (() => T)): [T, (value: T) => void] {
	const [value, setValue] = useState<T>(drafts.has(name) ? (drafts.get(name) as T) : initial);
	const latest = useRef(value);
	latest.current = value;
	useEffect(() => {
		drafts.delete(name);
		return () => {
			const wasByChoice = session.value !== undefined || farewell.value === undefined;
			if (!wasByChoice) drafts.set(name, latest.current);
		};
	}, []);
	return [value, setValue];
}
