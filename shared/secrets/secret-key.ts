import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { Malformed, secretKey } from '../config/parsers.ts';
import { CannotStart } from '../process/cannot-start.ts';
import { syncDirectory } from '../store/embedded/commit/log-sync.ts';

/** Embedded, the key lies here unless SECRET_KEY is set. */
export const secretKeyFile = 'secret.key';

/**
 * The keys of 32 bytes that secrets are sealed with, the first one, and opened with: SECRET_KEY, or embedded a key that the
 * first start makes in DATA_DIR. Call it after the store was opened, which makes the directory and keeps other processes out
 * of it.
 *
 * @param isAnythingSealed whether a new key would leave something closed for ever
 * @throws CannotStart where the file holds no key, or is gone though something is sealed with it
 */
export async function secretKeysOf(config: Config, isAnythingSealed: () => Promise<boolean>): Promise<Buffer[]> {
	if (config.secretKeys !== undefined) return keyBytes(config.secretKeys);
	if (config.form === 'cluster') throw new Error('a cluster has its SECRET_KEY');
	const file = join(config.dataDir, secretKeyFile);
	const found = readSecretKeyFile(config.dataDir);
	if (found === undefined && (await isAnythingSealed())) {
		throw new CannotStart(
			`${file} is gone, and the secrets of webhooks are sealed with it: bring it back from a backup. Where it is lost, ` +
				'set SECRET_KEY to a new one (`openssl rand -base64 32`) and have those secrets rotated.',
		);
	}
	const text = found ?? makeKey(config.dataDir, file);
	try {
		return keyBytes([secretKey(text.trim())]);
	} catch (error) {
		if (!(error instanceof Malformed)) throw error;
		throw new CannotStart(`${file} ${error.message}; bring it back from a backup.`);
	}
}

/** The 32 bytes of each, of keys as `SECRET_KEY` has them. */
export function keyBytes(keys: readonly string[]): Buffer[] {
	return keys.map((key) => Buffer.from(key, 'base64'));
}

/** What the file in `DATA_DIR` holds; undefined where there is none. */
export function readSecretKeyFile(dataDir: string): string | undefined {
	try {
		return readFileSync(join(dataDir, secretKeyFile), 'utf8');
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
		throw error;
	}
}

/** On the disk, directory entry included, before anything is sealed with it; a crash leaves the whole file or none. */
function makeKey(dataDir: string, file: string): string {
	const text = randomBytes(32).toString('base64');
	const draft = `${file}.new`;
	writeFileSync(draft, `${text}\n`, { mode: 0o600, flush: true });
	renameSync(draft, file);
	syncDirectory(dataDir);
	return text;
}
