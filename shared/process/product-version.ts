import { readFileSync } from 'node:fs';

/** Of this product, as `package.json` has it. */
export const { version: productVersion } = JSON.parse(
	readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };
