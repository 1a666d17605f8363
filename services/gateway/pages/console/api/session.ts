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

/** Whether the gateway answers; `away` while it does not */
export const connection = signal<'here' | 'away'>('here');

/** Grows with each change that was made here: whatever shows data reads it again. */
export const changes = signal(0);

export function signOut(why?: string): void {
	session.value = undefined;
	farewell.value = why;
	connection.value = 'here';
}

export function mayWrite(): boolean {
	return session.value?.scopes.includes('write') ?? false;
}
