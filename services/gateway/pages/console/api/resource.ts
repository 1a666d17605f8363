import { useEffect, useState } from 'preact/hooks';
import { get, type Query } from './client.ts';
import { changes } from './session.ts';

/** What is shown of something that is read from the API */
export interface Resource<T> {
	/** What was read last; it stays while it is read again */
	data: T | undefined;
	failure: Error | undefined;
	isLoading: boolean;
	/** Reads it again */
	reload: () => void;
}

/**
 * Reads while it is shown, and again after each change that is made here.
 * @param path undefined: there is nothing to read
 */
export function useGet<T>(path: string | undefined, query: Query = {}): Resource<T> {
	return useRead<T>(path && `${path} ${JSON.stringify(query)}`, (signal) => get<T>(path!, query, signal));
}

/** @param name of what `read` reads: another name is another thing, and what was read of the one before is not shown */
export function useRead<T>(name: string | undefined, read: (signal: AbortSignal) => Promise<T>): Resource<T> {
	const [known, setKnown] = useState<{ name: string; data?: T; failure?: Error; isLoading: boolean } | undefined>();
	const [looks, setLooks] = useState(0);
	const reload = () => setLooks((before) => before + 1);
	const change = changes.value;
	useEffect(() => {
		if (name === undefined) return undefined;
		const ended = new AbortController();
		setKnown((before) => (before?.name === name ? { ...before, isLoading: true } : { name, isLoading: true }));
		read(ended.signal).then(
			(data) => setKnown((before) => (ended.signal.aborted ? before : { name, data, isLoading: false })),
			(failure: Error) =>
				setKnown((before) => (ended.signal.aborted ? before : { name, data: before?.data, failure, isLoading: false })),
		);
		return () => ended.abort();
	}, [name, change, looks]);
	if (known === undefined || known.name !== name) {
		return { data: undefined, failure: undefined, isLoading: name !== undefined, reload };
	}
	const { data, failure, isLoading } = known;
	return { data, failure, isLoading, reload };
}
