import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ROOT } from './manifests.ts';

const SCRIPT = 'k8s/overlays/try/mongo/initiate-replica-set.js';
const passwords = { root: 'r00t', slotwise: 'sl0t' };
let secrets: string;

beforeAll(() => {
	secrets = mkdtempSync(join(tmpdir(), 'slotwise-mongo-'));
	for (const [name, text] of Object.entries(passwords)) writeFileSync(join(secrets, `${name}-password`), `${text}\n`);
});
afterAll(() => rmSync(secrets, { recursive: true, force: true }));

/** As much of a MongoDB server, seen through mongosh, as the script asks for. */
class Server {
	/** What was changed, in order */
	readonly changes: string[] = [];
	startsAfter = 3;
	#initiated = false;
	#elections = 2;
	#user: { pwd: string } | null = null;

	/** Runs the script as mongosh would. */
	run(): void {
		const code = readFileSync(join(ROOT, SCRIPT), 'utf8');
		const env = { MONGO_HOST: 'mongo:27017', MONGO_SECRETS: secrets };
		const globals = { require: createRequire(import.meta.url), process: { env }, print() {}, sleep() {} };
		runInNewContext(code, { ...globals, connect: (url: string) => this.#connect(url) });
	}

	#connect(url: string) {
		if (this.startsAfter-- > 0) throw Object.assign(new Error('refused'), { name: 'MongoNetworkError' });
		const { username, password, host, searchParams } = new URL(url);
		expect([username, password, host]).toEqual(['root', passwords.root, 'mongo:27017']);
		expect(searchParams.get('directConnection')).toBe('true'); // a set that is not initiated has no primary to find
		return {
			adminCommand: (command: Record<string, unknown>) => this.#admin(command),
			getSiblingDB: (name: string) => this.#database(name),
		};
	}

	#admin(command: Record<string, unknown>) {
		if ('hello' in command) return { isWritablePrimary: this.#initiated && this.#elections-- <= 0 };
		if ('replSetGetStatus' in command) {
			if (!this.#initiated) throw Object.assign(new Error('no config'), { code: 94, codeName: 'NotYetInitialized' });
			return { ok: 1 };
		}
		expect(command).toEqual({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host: 'mongo:27017' }] } });
		this.#initiated = true;
		this.changes.push('initiated');
		return { ok: 1 };
	}

	#database(name: string) {
		expect(name).toBe('slotwise');
		const roles = [{ role: 'readWrite', db: 'slotwise' }];
		return {
			getUser: () => this.#user,
			createUser: (user: { pwd: string }) => {
				expect(this.#elections).toBeLessThan(0); // only a primary takes it
				expect(user).toEqual({ user: 'slotwise', pwd: passwords.slotwise, roles });
				this.#user = user;
				this.changes.push('user created');
			},
			updateUser: (user: string, change: object) => {
				expect([user, change]).toEqual(['slotwise', { pwd: passwords.slotwise, roles }]);
				this.changes.push('user updated');
			},
		};
	}
}

test('When a new server comes up late, then it becomes a replica set with a user; when all that is there, then nothing is made anew', () => {
	const server = new Server();
	server.run();
	expect(server.changes).toEqual(['initiated', 'user created']);
	server.run();
	expect(server.changes).toEqual(['initiated', 'user created', 'user updated']);
});

test('When the server refuses for another reason than that it is new, then the script fails', () => {
	const server = new Server();
	server.startsAfter = Number.POSITIVE_INFINITY;
	expect(() => server.run()).toThrow('refused');
	expect(server.changes).toEqual([]);
});
