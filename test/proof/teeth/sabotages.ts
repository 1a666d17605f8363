import { brokenWithoutLock } from './dropped-index.ts';
import { overlapsWhere } from './forgotten-token.ts';
import { brokenWith } from './relay-sabotage.ts';

/** A product that is broken on purpose, to see that the proof finds it; and the same product, whole. */
export interface Sabotage {
	name: string;
	needs: 'nothing' | 'redis' | 'cluster';
	/** @returns what is found, which must be something where it is broken and nothing where it is not */
	find(isBroken: boolean): Promise<string[]>;
	/** What must be among it */
	mustTell: string | undefined;
}

export const sabotages: readonly Sabotage[] = [
	sabotaged('a relay that leaves out events', 'relay-skips-events.ts', 'events'),
	sabotaged('a relay that leaves out customers', 'relay-forgets-customers.ts', 'directory'),
	sabotaged('a queue that confuses accounts', 'queue-confuses-accounts.ts', 'tenants'),
	{
		name: 'a lock whose release forgets the token',
		needs: 'redis',
		find: overlapsWhere,
		mustTell: undefined,
	},
	{
		name: 'a store without the seats’ unique index, the lock being away',
		needs: 'cluster',
		find: brokenWithoutLock,
		mustTell: 'capacity',
	},
];

function sabotaged(name: string, file: string, mustTell: string): Sabotage {
	return {
		name,
		needs: 'nothing',
		find: (isBroken) => brokenWith(isBroken ? file : undefined, mustTell),
		mustTell,
	};
}

/** @param missing what a cluster lacks here, as `whyNoProof` says it. @returns why this one cannot be tried */
export function whyNotTried({ needs }: Sabotage, missing: string | undefined): string | undefined {
	if (needs === 'nothing' || missing === undefined) return undefined;
	return needs === 'cluster' || missing.includes('redis-server') ? missing : undefined;
}

/** @returns what is wrong with the proof: it did not find what is broken, or it found something where nothing is */
export async function trySabotage({ name, find, mustTell }: Sabotage): Promise<string[]> {
	const whole = await find(false);
	const broken = await find(true);
	const isFound = mustTell === undefined ? broken.length > 0 : broken.includes(mustTell);
	return [
		...(isFound ? [] : [`${name}: not found, only ${broken.join(', ') || 'nothing'}`]),
		...(whole.length === 0 ? [] : [`${name}: found ${whole.join(', ')} in the product as it is`]),
	];
}
