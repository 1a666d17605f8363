import { signal } from '@preact/signals';
import type { Usage } from '../../../../../shared/contract/schemas/usage.ts';

/** Who is signed in. It is in the memory of this tab and nowhere else: a reload forgets it. */
export interface Session {
	key: string;
	/** What the key may do */
	scopes: Usage['scopes'];
	plan: string;
}

export const session = signal<Session | undefined>(undefined);

/** Why the last session ended, where it was not by choice */
export const farewell = signal<string | undefined>(undefined);

/** Whether the gateway answers: `away` while it does not, `limited` while it says to wait */
export const connection = signal<'here' | 'away' | 'limited'>('here');

/** Until when, by `performance.now()`, the plan's rate says that nothing is to be read */
export const rest = { until: 0 };

/** Grows with each change that was made here: whatever shows data reads it again. */
export const changes = signal(0);

/** What was typed into forms that went with their key, by form and field: it is there again for the next key. */
export const drafts = new Map<string, unknown>();

/** @param why it was not by choice: what was typed is kept */
export function signOut(why?: string): void {
	if (why === undefined) drafts.clear();
	session.value = undefined;
	farewell.value = why;
	connection.value = 'here';
	rest.until = 0;
}

export function mayWrite(): boolean {
	return session.value?.scopes.includes('write') ?? false;
}
