import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Python 3.9 or newer, such as that of a virtual environment with `flit_core` and `mypy` */
export const PYTHON = process.env.TEST_PYTHON ?? 'python3';

/** What is missing here; undefined where there is all of it. */
export const missing = {
	python: whyNot('Python 3.9 or newer', 'import sys, venv, ensurepip; assert sys.version_info >= (3, 9)'),
	builder: whyNot('Python with flit_core', 'import flit_core'),
	mypy: whyNot('Python with mypy', 'import mypy'),
};

function whyNot(what: string, program: string): string | undefined {
	try {
		execFileSync(PYTHON, ['-c', program], { stdio: 'ignore' });
		return undefined;
	} catch {
		return `no ${what} here: ${PYTHON}`;
	}
}

/** Nothing but what is given here, and nothing written beside the sources. */
export function pythonEnv(given: Record<string, string> = {}): Record<string, string> {
	const { PATH = '' } = process.env;
	return { PATH, PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1', MYPY_CACHE_DIR: '/dev/null', ...given };
}

export function emptyDirectory(): string {
	return mkdtempSync(join(tmpdir(), 'slotwise-python-'));
}
