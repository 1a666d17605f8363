import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, describe } from '@jest/globals';
import { ServiceBroker } from 'moleculer';
import { pino } from 'pino';
import { brokerOptions } from '../../moleculer.config.ts';
import { accepted } from '../../ops/line/command.ts';
import { type AccountsMethods, accountsService } from '../../services/accounts/accounts.service.ts';
import { AccountsStore } from '../../services/accounts/accounts-store.ts';
import { createAccount } from '../../services/accounts/operators/account-actions.ts';
import { createKey } from '../../services/accounts/operators/key-actions.ts';
import { seedPlans } from '../../services/accounts/seed-plans.ts';
import { call } from '../../shared/bus/call.ts';
import { readConfig } from '../../shared/config/config.ts';
import type { ActionName, Params, Result } from '../../shared/contract/actions.ts';
import { randomBase62 } from '../../shared/engine/ids.ts';
import { localFairLock } from '../../shared/lock/local-fair-lock.ts';
import { Metrics } from '../../shared/metrics/metrics.ts';
import { Readiness } from '../../shared/process/readiness.ts';
import { createApiKey, hashApiKey } from '../../shared/secrets/api-key.ts';
import { openStore } from '../../shared/store/open-store.ts';
import type { Store } from '../../shared/store/store.ts';
import { STORE_PATIENCE } from '../support/bound.ts';
import { secretBox } from '../support/secret-box.ts';
import { TestClock } from './test-clock.ts';

/** An accounts service as a process of its own would run it. */
export interface AccountsProcess extends AccountsMethods {
	call<K extends ActionName>(action: K, params: Params<K>): Promise<Result<K>>;
	/** Ends by itself at the end of the test. */
	stop(): Promise<void>;
}

/** A store of a test's own, and the accounts services that work on it. */
export interface AccountsWorld {
	clock: TestClock;
	store: Store;
	/** For whoever works on the store beside the services */
	records: AccountsStore;
	/** For looking at documents */
	rows: ReturnType<typeof modelsOf>;
	/** Starts one more service on the store. @param bootstrapKeys as in the environment @param more variables */
	start(bootstrapKeys?: string, more?: Record<string, string>): Promise<AccountsProcess>;
	/** An account with a key that lives for `expires_in` ms; without it for ever. */
	provider(planName: string, expires_in?: number): Promise<NewProvider>;
	/** Every byte that the store holds */
	dump(): Promise<string>;
	/** Every line that was logged, on the most talkative level */
	log(): string;
}

interface NewProvider {
	account_id: string;
	key_id: string;
	api_key: string;
	hash: string;
}

type Cleanup = () => unknown;

const open: Cleanup[] = [];
afterEach(async () => {
	for (const cleanup of open.splice(0).reverse()) await cleanup();
});

/** Runs the tests on both forms of the store; the cluster's is skipped where `TEST_MONGO_URL` is not set. */
export function describeForms(
	name: string,
	tests: (openWorld: () => Promise<AccountsWorld>, form: Store['form']) => void,
): void {
	describe(`${name}, embedded`, () => tests(embeddedWorld, 'embedded'));
	(process.env.TEST_MONGO_URL ? describe : describe.skip)(`${name}, cluster`, () => tests(clusterWorld, 'cluster'));
}

async function embeddedWorld(): Promise<AccountsWorld> {
	const dataDir = mkdtempSync(join(tmpdir(), 'slotwise-accounts-'));
	open.push(() => rmSync(dataDir, { recursive: true }));
	const store = await openStore({ form: 'embedded', dataDir });
	open.push(() => store.close());
	const files = () => readdirSync(dataDir).map((file) => readFileSync(join(dataDir, file), 'latin1'));
	return worldOn(store, async () => store, files);
}

/** Each service has a connection of its own, as it would in its own process. */
async function clusterWorld(): Promise<AccountsWorld> {
	const url = new URL(process.env.TEST_MONGO_URL!);
	url.pathname = `/accounts_${randomBase62(12)}`;
	const connect = async () => {
		const store = await openStore({
			form: 'cluster',
			mongoUrl: url.href,
			namespace: 'unused',
			patience: STORE_PATIENCE,
		});
		open.push(() => store.close());
		return store;
	};
	const store = await connect();
	open.push(() => store.connection.dropDatabase());
	return worldOn(store, connect, () => []);
}

function worldOn(store: Store, connect: () => Promise<Store>, files: () => string[]): AccountsWorld {
	const clock = new TestClock('2026-11-21T09:30:00.000Z');
	const records = new AccountsStore(store.connection);
	const rows = modelsOf(records);
	let log = '';
	const lines = new Writable({
		write(chunk, _encoding, done) {
			log += chunk;
			done();
		},
	});
	const logger = pino({ level: 'trace' }, lines);
	return {
		clock,
		store,
		records,
		rows,
		async start(bootstrapKeys = '', more = {}) {
			const config = readConfig({ BOOTSTRAP_KEYS: bootstrapKeys, SERVICES: '', ...more });
			const options = brokerOptions(config, logger);
			const registry = { ...options.registry, stopDelay: 1 }; // nobody is on a bus to be told
			const broker = new ServiceBroker({ ...options, registry });
			const own = await connect();
			const [lock, readiness] = [localFairLock(), new Readiness(['accounts'], own)];
			broker.createService(
				accountsService({
					config,
					clock,
					logger,
					store: own,
					lock,
					readiness,
					secretBox,
					metrics: new Metrics('test'),
				}),
			);
			let stopped: Promise<void> | undefined;
			const stop = () => {
				stopped ??= broker.stop();
				return stopped;
			};
			open.push(stop);
			await broker.start();
			const service = broker.getLocalService('accounts') as unknown as AccountsMethods;
			return {
				call: (action, params) => call(broker, action, params),
				stop,
				takeDemoKey: () => service.takeDemoKey(),
			};
		},
		async provider(planName, expires_in) {
			await seedPlans(records, clock);
			const owner = { name: 'Ada', email: null, package: planName };
			const { id: account_id } = accepted(await createAccount(records, clock, owner));
			const api_key = createApiKey();
			const hash = hashApiKey(api_key);
			const { id: key_id } = accepted(
				await createKey(records, clock, {
					account_id,
					hash,
					name: 'test',
					scopes: ['read', 'write'],
					expires_in: expires_in ?? null,
				}),
			);
			return { account_id, key_id, api_key, hash };
		},
		async dump() {
			const collections: unknown[] = [];
			for (const { collection } of Object.values(rows)) collections.push(await collection.find({}).toArray());
			return JSON.stringify(collections) + files().join('');
		},
		log: () => log,
	};
}

function modelsOf({ plans, roles, accounts, keys, usage, log }: AccountsStore) {
	return { plans, roles, accounts, keys: keys.model, usage: usage.model, log: log.model };
}
