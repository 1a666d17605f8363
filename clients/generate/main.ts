import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pythonApi } from './python.ts';
import { clientReference } from './reference.ts';
import { typescriptApi } from './typescript.ts';

/** `npm run generate:clients`: the parts of the clients that follow from the OpenAPI document. A test says when it is due. */
const reference = clientReference();
writeFileSync(join(import.meta.dirname, '../typescript/src/api.ts'), await typescriptApi(reference));
writeFileSync(join(import.meta.dirname, '../python/src/slotwise/_api.py'), pythonApi(reference));
