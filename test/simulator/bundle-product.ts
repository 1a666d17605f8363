import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { placesOfSources } from '../../shared/process/places-of-sources.ts';
import { askForLimits } from './limits.ts';

/** CommonJS has its own way to ask where a package is. */
const resolve: Plugin = {
	name: 'places of packages',
	transform: {
		filter: { id: /\.ts$/, code: 'import.meta.resolve' },
		handler: (code) => code.replace(/import\.meta\.resolve\(('[^']+')\)/g, '`file://$${require.resolve($1)}`'),
	},
};

/**
 * Makes one CommonJS file of the product's own sources in `root`, which the simulator evaluates anew for each process.
 * Packages stay outside.
 * @returns the file
 */
export async function bundleProduct(root: string): Promise<string> {
	const { rolldown } = await import('rolldown');
	const directory = join(root, 'node_modules/.cache/slotwise-simulator');
	mkdirSync(directory, { recursive: true });
	const bundle = await rolldown({
		input: join(root, 'test/simulator/product.ts'),
		platform: 'node',
		external: (name) => !/^[./]/.test(name),
		plugins: [placesOfSources, resolve, askForLimits],
		logLevel: 'silent',
	});
	const file = join(directory, 'product.cjs');
	await bundle.write({ file, format: 'cjs', codeSplitting: false } as never);
	await bundle.close();
	return file;
}
