import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_NAMES, type ServiceName } from '../../shared/config/config.ts';
import { createApiKey } from '../../shared/secrets/api-key.ts';
import { ProductProcess } from './product-process.ts';
import { type Server, startNats, startRedis, whyNoCluster } from './servers.ts';

export type Form = 'embedded' | 'cluster';
export const PACKAGES = ['Starter', 'Developer', 'Growth', 'Unlimited'] as const;
export type PackageName = (typeof PACKAGES)[number];

export interface ProductOptions {
	form: Form;
	/** Keys to make, each with an account of its own; default: 20 on Unlimited */
	keys?: Partial<Record<PackageName, number>>;
	/** Processes of each service, cluster only; 1 where nothing is said */
	counts?: Partial<Record<ServiceName, number>>;
	/** So many processes of all six services each, in place of `counts`; cluster only */
	whole?: number;
	/** More variables for every process */
	env?: Record<string, string>;
	/** Variables that Redis sees, cluster only */
	redisEnv?: Record<string, string>;
	/** The processes log into their files themselves, as a user's would: where their speed is measured */
	directLogs?: boolean;
	/** What the command line of each process begins with, such as a shell that limits it first */
	prefix?: readonly string[];
	/** Other addresses for the processes, such as those of a proxy; called with the real ones */
	through?: (urls: ClusterUrls) => Promise<ClusterUrls>;
}

export interface ClusterUrls {
	nats: string;
	redis: string;
	mongo: string;
}

/** The product as real processes, on real servers in the cluster form, in a directory of its own. */
export interface Product {
	form: Form;
	directory: string;
	processes: ProductProcess[];
	nats: Server | undefined;
	redis: Server | undefined;
	/** With the database's name */
	mongoUrl: string | undefined;
	/** What the operators' commands need to reach it */
	operatorEnv: Record<string, string>;
	/** Keys that no test has taken yet */
	keys: Record<PackageName, string[]>;
	/** Addresses of the gateways */
	urls(): string[];
	/** Processes that run this service */
	of(service: ServiceName): ProductProcess[];
	/** Starts one more process, cluster only, and waits until it is ready. `more`: variables that it alone sees */
	add(service: ServiceName, more?: Record<string, string>): Promise<ProductProcess>;
	/** Ends everything, and removes directory and database. */
	stop(): Promise<void>;
}

/** Where an embedded product has its store. */
export function embeddedDataDir({ directory }: Product): string {
	return join(directory, 'data');
}

/** Starts the product and waits until it can serve. */
export async function startProduct(options: ProductOptions): Promise<Product> {
	const directory = mkdtempSync(join(tmpdir(), 'slotwise-test-'));
	const product = emptyProduct(options, directory);
	try {
		if (options.form === 'cluster') await startCluster(product, options);
		else await startEmbedded(product, options);
		return product;
	} catch (error) {
		await product.stop();
		throw error;
	}
}

function emptyProduct(options: ProductOptions, directory: string): Product {
	const product: Product = {
		form: options.form,
		directory,
		processes: [],
		nats: undefined,
		redis: undefined,
		mongoUrl: undefined,
		operatorEnv: {},
		keys: makeKeys(options.keys ?? { Unlimited: 20 }),
		urls: () => product.processes.flatMap((one) => one.url ?? []),
		of: (service) => product.processes.filter((one) => one.services.includes(service)),
		add: () => Promise.reject(new Error('an embedded product is one process')),
		async stop() {
			await Promise.all(product.processes.map(tellOfUnexpectedEnd));
			await Promise.all(product.processes.map((one) => one.stop()));
			await Promise.all([product.nats?.stop(), product.redis?.stop()]);
			if (product.mongoUrl !== undefined) await dropDatabase(product.mongoUrl);
			rmSync(directory, { recursive: true, force: true });
		},
	};
	return product;
}

/** A process that ended by itself is why its clients saw what they saw: what it said last is part of a test's report. */
async function tellOfUnexpectedEnd(one: ProductProcess): Promise<void> {
	if (!one.ended) return;
	const end = await one.exited;
	if (typeof end === 'number' && end !== 0) process.stderr.write(`${one.name} ended with ${end}\n${one.tail()}\n`);
}

async function startEmbedded(product: Product, options: ProductOptions): Promise<void> {
	product.operatorEnv = { DATA_DIR: embeddedDataDir(product) };
	const env = { ...commonEnv(product, options), ...product.operatorEnv };
	const { directory } = product;
	const { directLogs: direct, prefix } = options;
	product.processes.push(await ProductProcess.start('slotwise', SERVICE_NAMES, env, directory, { direct, prefix }));
	await product.processes[0]!.ready();
}

async function startCluster(product: Product, options: ProductOptions): Promise<void> {
	const missing = whyNoCluster();
	if (missing !== undefined) throw new Error(`no cluster here: ${missing}`);
	const database = `test_${randomBytes(6).toString('hex')}`;
	product.nats = await startNats(product.directory);
	product.redis = await startRedis(product.directory, options.redisEnv);
	product.mongoUrl = databaseUrl(process.env.TEST_MONGO_URL!, database);
	const real = { nats: product.nats.url, redis: product.redis.url, mongo: product.mongoUrl };
	const urls = (await options.through?.(real)) ?? real;
	const keyFile = options.env?.SECRET_KEY_FILE;
	const secret: Record<string, string> =
		keyFile === undefined ? { SECRET_KEY: randomBytes(32).toString('base64') } : { SECRET_KEY_FILE: keyFile };
	const env = {
		...commonEnv(product, options),
		NATS_URL: urls.nats,
		REDIS_URL: urls.redis,
		MONGO_URL: urls.mongo,
		...secret,
	};
	const { NAMESPACE } = env;
	product.operatorEnv = { NATS_URL: real.nats, REDIS_URL: real.redis, MONGO_URL: real.mongo, NAMESPACE, ...secret };
	const started = new Map<ServiceName, number>();
	const launch = async (service: ServiceName, more: Record<string, string> = {}) => {
		const number = (started.get(service) ?? 0) + 1;
		started.set(service, number);
		return start(`${service}-${number}`, [service], more);
	};
	const start = async (name: string, services: readonly ServiceName[], more: Record<string, string> = {}) => {
		const variables = { ...env, ...more, SERVICES: services.join() };
		const { directLogs: direct, prefix } = options;
		const one = await ProductProcess.start(name, services, variables, product.directory, { direct, prefix });
		product.processes.push(one);
		return one;
	};
	product.add = async (service, more) => {
		const one = await launch(service, more);
		await one.ready();
		return one;
	};
	for (let number = 1; number <= (options.whole ?? 0); number++) await start(`whole-${number}`, SERVICE_NAMES);
	for (const service of options.whole === undefined ? SERVICE_NAMES : []) {
		for (let count = options.counts?.[service] ?? 1; count > 0; count--) await launch(service);
	}
	await Promise.all(product.processes.map((one) => one.ready()));
}

function commonEnv(product: Product, options: ProductOptions): Record<string, string> & { NAMESPACE: string } {
	const keys = PACKAGES.flatMap((name) => product.keys[name].map((key) => `${key}:${name}`));
	return {
		ADMIN_PORT: '0',
		LOG_FORMAT: 'json',
		NAMESPACE: `t${randomBytes(4).toString('hex')}`,
		WEBHOOK_ALLOW_PRIVATE: '1',
		BOOTSTRAP_KEYS: keys.join(','),
		...options.env,
	};
}

function makeKeys(counts: Partial<Record<PackageName, number>>): Record<PackageName, string[]> {
	const make = (name: PackageName) => Array.from({ length: counts[name] ?? 0 }, createApiKey);
	return {
		Starter: make('Starter'),
		Developer: make('Developer'),
		Growth: make('Growth'),
		Unlimited: make('Unlimited'),
	};
}

/** `url` with `name` as its database. */
function databaseUrl(url: string, name: string): string {
	const parsed = new URL(url);
	parsed.pathname = `/${name}`;
	return parsed.href;
}

async function dropDatabase(url: string): Promise<void> {
	const { MongoClient } = await import('mongodb'); // only now: most files that load this one need no driver
	const client = new MongoClient(url, { serverSelectionTimeoutMS: 5_000 });
	await client
		.db()
		.dropDatabase()
		.catch(() => {}); // a server that is down keeps it; its directory goes as a whole
	await client.close();
}
