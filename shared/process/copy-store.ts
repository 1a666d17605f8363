import type { Params, Result } from '../contract/actions.ts';
import type { Store } from '../store/store.ts';

type Outcome = Result<'ops.copyStore'>;

/** Copies this process' store for `ops backup`: one copy at a time, for each makes the store slower. */
export function storeCopier(store: Store | undefined) {
	let isCopying = false;
	return async ({ file }: Params<'ops.copyStore'>): Promise<Outcome> => {
		if (store?.copyTo === undefined) return { failed: 'Only an embedded process copies its store.' };
		if (isCopying) return { failed: 'The store is being copied already; try again when that has ended.' };
		isCopying = true;
		try {
			await store.copyTo(file);
			return 'ok';
		} catch (error) {
			return { failed: `The copy could not be written: ${(error as Error).message}.` };
		} finally {
			isCopying = false;
		}
	};
}
