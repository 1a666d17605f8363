import './shared/process/on-node-24.js'; // where Node is older, it does the rest
import module from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

/*
 * Objects of which nearly all survive the first collections are made in the old generation from then on. Where a collection meets the
 * first requests of a process, that is what becomes of theirs, with all that they refer to: one start in twenty served a GET for half
 * as much again, for as long as it lived (docs/performance.md).
 */
setFlagsFromString('--no-allocation-site-pretenuring');

/*
 * Node keeps what it compiles beside the packages, types stripped: the next start compiles nothing and takes half the
 * time. It is written when a process ends, and where it cannot be, nothing else changes. Not in the system's temporary
 * directory, which is Node's default: there, others could put code before us. `NODE_DISABLE_COMPILE_CACHE=1` turns it off.
 *
 * So this file is JavaScript, and loads the rest only now: the first TypeScript without the cache costs 80 ms.
 */
module.enableCompileCache(join(import.meta.dirname, 'node_modules/.cache/slotwise'));

const { currentBundle } = await import('./shared/process/current-bundle.ts');

const bundle = currentBundle(process.env);
await (bundle === undefined ? import('./main.ts') : import(bundle));
