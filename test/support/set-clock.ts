import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Product } from './product.ts';
import type { ProductProcess } from './product-process.ts';

/** For processes whose clock can be set. */
export const SETTABLE = { NODE_OPTIONS: `--import ${import.meta.dirname}/wrong-clock.ts` };

/** Sets the wall clock of a process that was started with `SETTABLE`. @param offset ms from the right time */
export function setClock({ directory }: Product, { pid }: ProductProcess, offset: number): void {
	const file = join(directory, `clock-${pid}`);
	writeFileSync(`${file}.new`, String(offset));
	renameSync(`${file}.new`, file); // never read half
}
