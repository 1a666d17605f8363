import type { ServiceName } from '../../shared/config/config.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { type Server, whyNoCluster } from '../support/servers.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { type OwnDatabase, ownDatabase } from './database.ts';

/** What can be killed, stopped and started again. */
export interface Victim {
	name: string;
	/** SIGKILL; resolves when it is gone */
	kill(): Promise<void>;
	/** Starts it again; resolves when it listens or, of a process of ours, when it is ready */
	revive(): Promise<void>;
	/** Undefined where it cannot be stopped for a while */
	signal?(signal: 'SIGSTOP' | 'SIGCONT'): void;
}

const DEFAULT_COUNTS = { gateway: 2, booking: 3, notifications: 2 } as const;

/** Why no cluster can be tried here; undefined where it can. */
export function whyNoProof(): string | undefined {
	const missing = whyNoCluster();
	return process.env.TEST_MONGO_CONTROL && missing?.startsWith('TEST_MONGO_URL') ? undefined : missing;
}

/** The product as a cluster, with a proxy before each server, and a hand on every process. */
export class Cluster {
	readonly product: Product;
	readonly proxies: Record<'nats' | 'redis' | 'database', TcpProxy>;
	readonly #database: OwnDatabase | undefined;

	private constructor(product: Product, proxies: Cluster['proxies'], database: OwnDatabase | undefined) {
		this.product = product;
		this.proxies = proxies;
		this.#database = database;
	}

	/**
	 * @param counts processes of each service; of the others one
	 * @param env more variables for every process
	 * @param redisEnv the same for Redis
	 */
	static async start({
		counts = DEFAULT_COUNTS,
		env = {},
		redisEnv,
		accounts = 2,
	}: ClusterOptions = {}): Promise<Cluster> {
		const database = await ownDatabase();
		if (database) process.env.TEST_MONGO_URL = database.url;
		const proxies = {} as Cluster['proxies'];
		const product = await startProduct({
			form: 'cluster',
			keys: { Unlimited: accounts },
			counts,
			env,
			redisEnv,
			async through({ nats, redis, mongo }) {
				proxies.nats = await TcpProxy.to(portOf(nats));
				proxies.redis = await TcpProxy.to(portOf(redis));
				proxies.database = await TcpProxy.to(portOf(mongo));
				return { nats: proxies.nats.url(nats), redis: proxies.redis.url(redis), mongo: proxies.database.url(mongo) };
			},
		});
		return new Cluster(product, proxies, database);
	}

	/** One an account, over all gateways. */
	accounts(): { name: string; http: Client }[] {
		const { product } = this;
		return product.keys.Unlimited.map((key, index) => ({
			name: `account ${index + 1}`,
			http: new Client(() => product.urls(), key),
		}));
	}

	/** Every process of ours and every server; the database only where it can be controlled. */
	victims(): Victim[] {
		const { nats, redis, processes } = this.product;
		const ours = processes.map((one) => ({
			name: one.name,
			async kill() {
				one.kill('SIGKILL');
				await one.exited;
			},
			async revive() {
				await one.restart();
				await one.ready();
			},
			signal: (signal: NodeJS.Signals) => one.kill(signal),
		}));
		const database = this.#database;
		const controlled = database ? [{ name: 'database', kill: database.kill, revive: database.start }] : [];
		return [...ours, serverVictim('nats', nats!), serverVictim('redis', redis!), ...controlled];
	}

	/** Resolves when /readyz of every process answers 200. @returns ms that it took */
	async ready(): Promise<number> {
		const since = performance.now();
		await Promise.all(this.product.processes.map((one) => one.ready()));
		return performance.now() - since;
	}

	async stop(): Promise<void> {
		await Promise.all(Object.values(this.proxies).map((proxy) => proxy.set({ kind: 'none' })));
		await this.product.stop();
		await Promise.all(Object.values(this.proxies).map((proxy) => proxy.close()));
		await this.#database?.end();
	}
}

interface ClusterOptions {
	counts?: Partial<Record<ServiceName, number>>;
	env?: Record<string, string>;
	redisEnv?: Record<string, string>;
	accounts?: number;
}

function serverVictim(name: string, server: Server): Victim {
	return {
		name,
		async kill() {
			server.child.kill('SIGKILL');
			await server.child.exited;
		},
		revive: () => server.restart(),
		signal: (signal) => server.child.kill(signal),
	};
}

function portOf(url: string): number {
	return Number(new URL(url).port);
}

/** Resolves when the product answers a read of this account again. */
export async function answers(http: Client): Promise<void> {
	await until(async () => (await http.get('/v1/services')).status === 200, { what: 'an answer' });
}
