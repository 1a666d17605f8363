import module from 'node:module';
import { join } from 'node:path';

// What is compiled is kept beside the packages, as `main.js` says: the next command takes half the time.
module.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/slotwise'));

await import('./command-line.ts');
