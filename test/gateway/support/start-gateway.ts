import type { Server } from 'node:http';
import { type Context, ServiceBroker, type ServiceSchema } from 'moleculer';
import { pino } from 'pino';
import { brokerOptions } from '../../../moleculer.config.ts';
import { gatewayService } from '../../../services/gateway/gateway.service.ts';
import { readConfig } from '../../../shared/config/config.ts';
import type { ActionName, Params, Principal, Result } from '../../../shared/contract/actions.ts';
import { type Clock, systemClock } from '../../../shared/engine/clock.ts';
import { Metrics } from '../../../shared/metrics/metrics.ts';
import { addressOf } from '../../../shared/process/admin-server.ts';
import type { Dependencies } from '../../../shared/process/dependencies.ts';
import { Readiness } from '../../../shared/process/readiness.ts';
import { createApiKey, hashApiKey } from '../../../shared/secrets/api-key.ts';
import { Client } from '../../support/http-client.ts';

/** What the services behind the gateway do in a test; an action that is not named is not there. */
export type Backend = { [K in ActionName]?: (params: Params<K>) => Result<K> | Promise<Result<K>> };

export interface TestGateway {
	url: string;
	broker: ServiceBroker;
	server: Server;
	/** With a key that has both scopes */
	client: Client;
	/** Every call of an action, in order, but for those that the clock makes */
	calls: { action: string; params: Record<string, unknown>; requestID: string; timeout: number }[];
	/** What was logged at `info` or above */
	lines: Record<string, unknown>[];
	/** Adds a key. */
	addKey(principal?: Partial<Principal>): string;
	/** Takes it back, as a revocation does. */
	removeKey(key: string): void;
	/** What an operator would read of it now */
	metric(name: string): Promise<number>;
	stop(): Promise<void>;
}

export interface Options {
	backend?: Backend;
	environment?: Record<string, string>;
	clock?: Clock;
}

/** The real gateway on a real broker, with small services behind it. */
export async function startGateway({ backend = {}, environment = {}, clock }: Options = {}): Promise<TestGateway> {
	const config = readConfig({ PORT: '0', ADMIN_PORT: 'off', ...environment });
	const lines: TestGateway['lines'] = [];
	const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
	const broker = new ServiceBroker(brokerOptions(config, logger));
	const readiness = new Readiness(['gateway'], undefined);
	const keys = new Map<string, Principal>();
	const calls: TestGateway['calls'] = [];
	const verifyKey: Backend['accounts.verifyKey'] = ({ hash }) => keys.get(hash) ?? null;
	const recordRequests: Backend['accounts.recordRequests'] = ({ counts }) => counts;
	let count = 0;
	const accounts: Backend = {
		'accounts.verifyKey': verifyKey,
		'accounts.changes': () => ({ count }),
		'accounts.recordRequests': recordRequests,
	};
	for (const service of services({ ...accounts, ...backend }, calls)) broker.createService(service);
	const metrics = new Metrics(config.namespace);
	const dependencies = { config, clock: clock ?? systemClock, logger, readiness, metrics } as unknown as Dependencies;
	const gateway = broker.createService(gatewayService(dependencies)) as unknown as { server: Server };
	await broker.start();
	readiness.up(broker);
	const addKey: TestGateway['addKey'] = (principal = {}) => {
		const key = createApiKey();
		keys.set(hashApiKey(key), { ...PRINCIPAL, ...principal });
		return key;
	};
	const removeKey = (key: string) => {
		keys.delete(hashApiKey(key));
		count++;
	};
	const stop = async () => {
		readiness.stopping();
		await broker.stop();
	};
	const url = addressOf(gateway.server);
	const client = new Client([url], addKey());
	const metric = async (name: string) =>
		Number(new RegExp(`^${config.namespace}_${name}(?:\\{.*\\})? (.+)$`, 'm').exec(await metrics.text())?.[1]);
	return { url, broker, server: gateway.server, client, calls, lines, addKey, removeKey, metric, stop };
}

const PRINCIPAL: Principal = {
	account_id: 'acc_test',
	key_id: 'key_test',
	scopes: ['read', 'write'],
	expires_at: null,
	suspended: false,
	package: { name: 'Unlimited', rate: null, burst: null },
	quota: { month: '2026-11', requests: 0, limit: null },
};

function services(backend: Backend, calls: TestGateway['calls']): ServiceSchema[] {
	const byService = Map.groupBy(Object.entries(backend), ([name]) => name.split('.')[0]!);
	return [...byService].map(([name, actions]) => ({
		name,
		actions: Object.fromEntries(actions.map(([action, run]) => [action.split('.')[1]!, recorded(action, run, calls)])),
	}));
}

/** They come between any two requests. */
const BY_CLOCK = ['accounts.recordRequests', 'accounts.changes'];

function recorded(action: string, run: unknown, calls: TestGateway['calls']) {
	return ({ params, requestID, options }: Context<Record<string, unknown>>) => {
		if (!BY_CLOCK.includes(action)) {
			calls.push({ action, params, requestID: requestID!, timeout: options.timeout! });
		}
		return (run as (params: unknown) => unknown)(params);
	};
}
