import { createHash } from 'node:crypto';
import type { Person } from '../../shared/contract/person.ts';

/** Which person it is, without telling the address. */
export function personKey({ kind, value }: Person): string {
	return `${kind}:${createHash('sha256').update(value).digest('base64url').slice(0, 32)}`;
}
