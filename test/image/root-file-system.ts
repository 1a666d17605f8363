import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
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
 * `npm ci` and what makes the console.
 */
export function buildRoot(root: string): Image {
	const [packages, maker, image] = readDockerfile() as [Stage, Stage, Stage];
	layNode(root);
	const app = join(root, lastOf(image, 'WORKDIR')!);
	const packagesApp = join(`${root}.packages`, lastOf(packages, 'WORKDIR')!);
	copyFromContext(packages, packagesApp);
	const install = lastOf(packages, 'RUN')!;
	if (!install.startsWith('npm ci ')) throw new Error(`the packages come by another command than npm ci: ${install}`);
	execFileSync('npm', install.split(/\s+/).slice(1), { cwd: packagesApp, stdio: ['ignore', 'ignore', 'inherit'] });
	makeConsole(maker, `${root}.console`);
	copyFromContext(image, app);
	for (const { stage, sources, target } of copiesOf(image).filter(({ stage }) => stage !== undefined)) {
		if (stage !== packages.alias && stage !== maker.alias)
			throw new Error(`COPY --from=${stage}: there is no such stage`);
		for (const source of sources) cpSync(join(`${root}.${stage}`, source), resolve(app, target), { recursive: true });
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
	place(process.execPath, '/usr/local/bin/node');
	const libraries = execFileSync('ldd', [process.execPath], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g);
	for (const [, library] of libraries) place(library!, library!);
}
