import { execFileSync } from 'node:child_process';
import {
	chmodSync,
	chownSync,
	copyFileSync,
	cpSync,
	existsSync,
	linkSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	realpathSync,
	renameSync,
	symlinkSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { allowedInContext, copiesOf, environmentOf, lastOf, ROOT, readDockerfile, type Stage } from './dockerfile.ts';

/** What a container of the image would be started with. */
export interface Image {
	/** Its volume lies beside it, at `<root>.data` */
	root: string;
	user: number;
	workdir: string;
	environment: Record<string, string>;
	command: string[];
	healthcheck: string[];
}

/**
 * Does in a directory what the Dockerfile says. Where its official image stands, here stands the same Node with the
 * shared libraries that it needs, and nothing else. Commands of shell are not run, but for
 * what makes the console.
 */
export function buildRoot(root: string): Image {
	const [packages, maker, image] = readDockerfile() as [Stage, Stage, Stage];
	layNode(root);
	const app = join(root, lastOf(image, 'WORKDIR')!);
	const packagesApp = join(`${root}.packages`, lastOf(packages, 'WORKDIR')!);
	copyFromContext(packages, packagesApp);
	const install = lastOf(packages, 'RUN')!;
	layPackages(install, packagesApp);
	makeConsole(maker, `${root}.console`);
	copyFromContext(image, app);
	for (const { stage, sources, target } of copiesOf(image).filter(({ stage }) => stage !== undefined)) {
		if (stage !== packages.alias && stage !== maker.alias)
			throw new Error(`COPY --from=${stage}: there is no such stage`);
		for (const source of sources) take(join(`${root}.${stage}`, source), resolve(app, target));
	}
	const user = Number(lastOf(image, 'USER')!.split(':')[0]);
	const volume = `${root}.data`;
	mkdirSync(volume, { mode: 0o700 });
	chownSync(volume, user, user);
	for (const name of [lastOf(image, 'VOLUME')!, 'proc', 'dev']) mkdirSync(join(root, name));
	return {
		root,
		user,
		workdir: lastOf(image, 'WORKDIR')!,
		environment: environmentOf(image),
		command: JSON.parse(lastOf(image, 'CMD')!) as string[],
		healthcheck: JSON.parse(/\[.*\]$/.exec(lastOf(image, 'HEALTHCHECK')!)![0]) as string[],
	};
}

/** Options of `npm ci` that say nothing about which packages there are */
const OF_NO_PACKAGE = ['--ignore-scripts', '--no-audit', '--no-fund'];

/**
 * What `npm ci` would install of the lockfile, linked from this checkout, where the same command has put the same: npm would write a
 * hundred megabytes once more. Files of the image are read-only, so nobody writes into those of the checkout.
 */
function layPackages(install: string, app: string): void {
	const [npm, ci, ...options] = install.split(/\s+/);
	if (`${npm} ${ci}` !== 'npm ci') throw new Error(`the packages come by another command than npm ci: ${install}`);
	const omitted = options.flatMap((option) => /^--omit=(dev|optional)$/.exec(option)?.[1] ?? []);
	const unknown = options.filter(
		(option) => !OF_NO_PACKAGE.includes(option) && !/^--omit=(dev|optional)$/.test(option),
	);
	if (unknown.length > 0) throw new Error(`what ${unknown.join(' ')} means for the packages is not known here`);
	const [noDev, noOptional] = [omitted.includes('dev'), omitted.includes('optional')];
	const { packages } = JSON.parse(readFileSync(join(app, 'package-lock.json'), 'utf8')) as { packages: Locked };
	for (const [path, { dev, optional, devOptional }] of Object.entries(packages)) {
		if (path === '' || (dev && noDev) || (optional && noOptional) || (devOptional && noDev && noOptional)) continue;
		// Not every platform has each optional one.
		if (existsSync(join(ROOT, path)) || !optional) linkPackage(join(ROOT, path), join(app, path));
	}
}

type Locked = Record<string, { dev?: boolean; optional?: boolean; devOptional?: boolean }>;

/** The packages below it have entries of their own. */
function linkPackage(from: string, to: string): void {
	mkdirSync(to, { recursive: true });
	for (const entry of readdirSync(from, { withFileTypes: true })) {
		if (entry.name === 'node_modules') continue;
		const [source, target] = [join(from, entry.name), join(to, entry.name)];
		if (entry.isDirectory()) linkPackage(source, target);
		else link(source, target);
	}
}

/** The same file once more; a copy where that is on another disk. */
function link(from: string, to: string): void {
	try {
		linkSync(from, to);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
		copyFileSync(from, to);
	}
}

/** Brings what a stage made into the image. Nobody needs the stage afterwards, and it lies on the same disk. */
function take(from: string, to: string): void {
	mkdirSync(dirname(to), { recursive: true });
	renameSync(from, to);
}

/** Its packages for development are those of this checkout: they are the same, and would take a minute. */
function makeConsole(stage: Stage, root: string): void {
	const app = join(root, lastOf(stage, 'WORKDIR')!);
	copyFromContext(stage, app);
	mkdirSync(join(app, 'node_modules'));
	for (const name of readdirSync(join(ROOT, 'node_modules')).filter((name) => name !== '.cache')) {
		symlinkSync(join(ROOT, 'node_modules', name), join(app, 'node_modules', name));
	}
	const [program, ...args] = lastOf(stage, 'RUN')!.split(/\s+/);
	if (program !== 'node') throw new Error(`the console is made by ${program}, and not by node`);
	execFileSync(process.execPath, args, { cwd: app, stdio: ['ignore', 'ignore', 'inherit'] });
}

function copyFromContext(stage: Stage, workdir: string): void {
	const allowed = allowedInContext();
	for (const { sources, target } of copiesOf(stage).filter((copy) => copy.stage === undefined)) {
		for (const source of sources) {
			if (!allowed.includes(source)) throw new Error(`.dockerignore keeps ${source} out of the context`);
			const to = target.endsWith('/') ? resolve(workdir, target, source) : resolve(workdir, target);
			cpSync(join(ROOT, source), to, { recursive: true });
		}
	}
}

/** The Node of this process, where the official image has its own, and what it is linked with. */
function layNode(root: string): void {
	const place = (from: string, to: string) => {
		mkdirSync(dirname(join(root, to)), { recursive: true });
		cpSync(realpathSync(from), join(root, to));
		chmodSync(join(root, to), 0o755);
	};
	mkdirSync(join(root, '/usr/local/bin'), { recursive: true });
	link(realpathSync(process.execPath), join(root, '/usr/local/bin/node'));
	const libraries = execFileSync('ldd', [process.execPath], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g);
	for (const [, library] of libraries) place(library!, library!);
}
