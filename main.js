import './shared/process/on-node-24.js'; // where Node is older, it does the rest
import module from 'node:module';
import { join } from 'node:path';

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
