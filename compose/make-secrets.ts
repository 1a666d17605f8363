import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Makes the secrets of a cluster that is tried out: random ones, once. What is there stays, for the database knows its
 * passwords. One directory for each reader, so that nobody needs to see another's:
 *
 *     nats/nats.conf        redis/redis.conf        slotwise/.env
 *     mongo/key             mongo/root-password     mongo/slotwise-password
 *
 * Usage: `node make-secrets.ts <directory>`. SECRET_KEY and BOOTSTRAP_KEYS of the environment are taken over where they
 * are set.
 */

const word = () => randomBytes(24).toString('base64url');

function natsConf(password: string): string {
	return [
		'port: 4222',
		'http: 8222 # its own health, for probes',
		`authorization { user: slotwise, password: "${password}" }`,
	].join('\n');
}

/** Locks and rate limits, which need not outlive a restart; a limit on memory must never make a lock vanish. */
function redisConf(password: string): string {
	return ['port 6379', `requirepass ${password}`, 'save ""', 'appendonly no', 'maxmemory-policy noeviction'].join('\n');
}

export function makeSecrets(directory: string, given: Record<string, string | undefined>): void {
	const once = (file: string, make: () => string) => keepOrMake(join(directory, file), make);
	const nats = once('nats/nats.conf', () => natsConf(word()));
	const redis = once('redis/redis.conf', () => redisConf(word()));
	once('mongo/key', () => randomBytes(512).toString('base64'));
	once('mongo/root-password', word);
	const mongo = once('mongo/slotwise-password', word);
	const env = once('slotwise/.env', () =>
		[
			`NATS_URL=nats://slotwise:${/password: "(.+)"/.exec(nats)![1]}@nats:4222`,
			`REDIS_URL=redis://:${/requirepass (.+)/.exec(redis)![1]}@redis:6379/0`,
			`MONGO_URL=mongodb://slotwise:${mongo.trim()}@mongo:27017/slotwise?replicaSet=rs0`,
			`SECRET_KEY=${randomBytes(32).toString('base64')}`,
		].join('\n'),
	);
	write(join(directory, 'slotwise/.env'), withGiven(env, given));
}

function withGiven(env: string, given: Record<string, string | undefined>): string {
	const lines = env.trim().split('\n');
	for (const name of ['SECRET_KEY', 'BOOTSTRAP_KEYS']) {
		if (!given[name]) continue;
		const others = lines.filter((line) => !line.startsWith(`${name}=`));
		lines.splice(0, lines.length, ...others, `${name}=${given[name]}`);
	}
	return lines.join('\n');
}

function keepOrMake(file: string, make: () => string): string {
	if (!existsSync(file)) write(file, make());
	return readFileSync(file, 'utf8');
}

/**
 * Whole or not at all. Readable for everybody who can see the directory, for each reader runs as a user of its own: who
 * can see it is decided by who has it mounted.
 */
function write(file: string, text: string): void {
	mkdirSync(dirname(file), { recursive: true });
	rmSync(`${file}.new`, { force: true }); // of a run that was cut off: it cannot be written to
	writeFileSync(`${file}.new`, `${text}\n`, { mode: 0o444 });
	renameSync(`${file}.new`, file);
}

if (import.meta.main) makeSecrets(process.argv[2] ?? 'secrets', process.env);
