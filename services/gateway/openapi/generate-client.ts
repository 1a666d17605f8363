import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { generateSource } from 'oazapfts';
import { operations } from '../operations/index.ts';
import { openapi } from './openapi.ts';

/**
 * `npm run generate:client [-- <directory>]` writes openapi.json, as the gateway serves it, and slotwise.ts, a typed
 * client of it, into `docs/client` or the directory. They follow from the table of operations, so nobody commits them.
 */
const directory = resolve(process.argv[2] ?? join(import.meta.dirname, '../../../docs/client'));
const reference = join(directory, 'openapi.json');
const client = join(directory, 'slotwise.ts');

mkdirSync(directory, { recursive: true });
writeFileSync(reference, JSON.stringify(openapi(operations)));
// Arguments by name: a parameter that is added changes no call.
writeFileSync(client, await generateSource(reference, { argumentStyle: 'object', futureStripLegacyMethods: true }));
process.stdout.write(`${client}\n`);
