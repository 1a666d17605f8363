import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Child } from '../../support/child.ts';
import { until } from '../../support/until.ts';

const DIRECTORY = join(import.meta.dirname, '../../../docs/webhooks');
/** An interpreter that has `standardwebhooks`, such as that of a virtual environment */
const PYTHON = process.env.TEST_PYTHON ?? 'python3';
/** Modules come from Go's cache only: `go mod download` in docs/webhooks fills it */
const OFFLINE = { GOPROXY: 'off', GOFLAGS: '-mod=readonly', GOTOOLCHAIN: 'local' };

export interface Example {
	language: string;
	/** What is missing here; undefined where it can run */
	missing: string | undefined;
	/** @param directory for what is built */
	command(directory: string): [command: string, args: string[]];
}

/** The receivers that docs/webhooks.md shows. */
export const examples: Example[] = [
	{
		language: 'TypeScript',
		missing: undefined,
		command: () => [process.execPath, [join(DIRECTORY, 'receiver.ts')]],
	},
	{
		language: 'Python',
		missing: whyNot(`${PYTHON} with standardwebhooks`, PYTHON, ['-c', 'import standardwebhooks']),
		command: () => [PYTHON, [join(DIRECTORY, 'receiver.py')]],
	},
	{
		language: 'Go',
		missing: whyNot("Go with standardwebhooks in its module cache ('go mod download')", 'go', ['list', '-deps', '.']),
		command(directory) {
			const binary = join(directory, 'receiver');
			execFileSync('go', ['build', '-o', binary, '.'], { cwd: DIRECTORY, env: { ...process.env, ...OFFLINE } });
			return [binary, []];
		},
	},
];

function whyNot(what: string, command: string, args: string[]): string | undefined {
	try {
		execFileSync(command, args, { cwd: DIRECTORY, env: { ...process.env, ...OFFLINE }, stdio: 'ignore' });
		return undefined;
	} catch {
		return `no ${what} here`;
	}
}

export interface RunningExample {
	url: string;
	/** What it handled so far: `<sequence or test> <type> <id>`, in order */
	handled: string[];
	stop(): Promise<unknown>;
}

/** Starts a receiver on a free port and waits until it listens. */
export async function startExample(
	example: Example,
	directory: string,
	env: Record<string, string>,
): Promise<RunningExample> {
	const [command, args] = example.command(directory);
	const inherited = { PATH: process.env.PATH ?? '', PYTHONDONTWRITEBYTECODE: '1' };
	const child = new Child(example.language, command, args, {
		env: { ...inherited, ...env, PORT: '0' },
		cwd: directory,
	});
	const handled: string[] = [];
	let port: string | undefined;
	child.onLine((line) => {
		const [word, ...rest] = line.split(' ');
		if (word === 'listening') port = rest.at(-1);
		if (word === 'handled') handled.push(rest.join(' '));
	});
	await until(() => port !== undefined || child.ended, { what: `the ${example.language} receiver to listen` });
	if (port === undefined) throw new Error(`it ended\n${child.tail()}`);
	return { url: `http://127.0.0.1:${port}/`, handled, stop: () => child.stop() };
}
