import { spawnSync } from 'node:child_process';

/** What a process had loaded when it ended. */
export interface Loaded {
	status: number | null;
	/** Of Node itself */
	native: string[];
	/** Paths of what was imported or required, packages included */
	files: string[];
}

/** Runs in the process: it ends as soon as it has greeted, and tells on stderr. */
const TELL = `
	import { registerHooks } from 'node:module';
	import { fileURLToPath } from 'node:url';
	const files = [];
	registerHooks({
		load(url, context, next) {
			if (url.startsWith('file:')) files.push(fileURLToPath(url));
			return next(url, context);
		},
	});
	const { write } = process.stdout;
	process.stdout.write = function (text, ...rest) {
		if (String(text).includes('reference http')) process.kill(process.pid, 'SIGTERM');
		return write.call(this, text, ...rest);
	};
	process.on('exit', () => process.stderr.write('\\n' + JSON.stringify({ native: process.moduleLoadList, files })));
`;

/** Starts the product on a new store, waits until it has ended, and tells what it had loaded. */
export function loadedBy(main: string, env: Record<string, string>): Loaded {
	const { status, stderr } = spawnSync(
		process.execPath,
		['--import', `data:text/javascript,${encodeURIComponent(TELL)}`, main],
		{
			env: { PATH: process.env.PATH, PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'warn', ...env },
			encoding: 'utf8',
			timeout: 100_000,
		},
	);
	return { status, ...JSON.parse(stderr.slice(stderr.lastIndexOf('\n'))) };
}
