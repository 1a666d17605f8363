/**
 * What no answer may hold (promise A9): stacks, paths of files, names of libraries, of stores and their collections and
 * indexes, of nodes, and the messages of their errors. Words that the API itself uses are left out.
 */
const INTERNALS =
	/\bat .+:\d+:\d+|node:|node_modules|\.[jt]s\b|Error\b|E11000|ECONN|ETIMEDOUT|ENO[A-Z]+|[Mm]ongo|sqlite|SQLITE|[Rr]edis|nats:|[Mm]oleculer|_key\b|api_keys|audit_log|slot_updates|closures|listed_|left_behind|account_id|127\.0\.0\.1|undefined|\[object /;

/** Codes of errors and faults, which are ours: `invalid_api_key` ends as names of indexes do. */
const CODES = /"code":"[a-z_]+"/g;

/** The part of an error's text, or of its answer, that a client must not see; undefined where there is none. */
export function revealed(text: string): string | undefined {
	return INTERNALS.exec(text.replace(CODES, ''))?.[0];
}
