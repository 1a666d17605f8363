import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { call } from '../bus/call.ts';
import type { ServiceName } from '../config/config.ts';
import type { Handlers } from '../contract/actions.ts';
import type { Store } from '../store/store.ts';
import type { StoreGate } from '../store/store-gate.ts';
import { storeCopier } from './copy-store.ts';
import { productVersion } from './product-version.ts';

export interface ReadinessReport {
	ready: boolean;
	state: 'starting' | 'up' | 'stopping';
	/** What was looked at, and whether it can be reached. Those that are not needed are reported only. */
	checks: Record<string, 'ok' | 'unreachable'>;
}

/** Services without which the gateway cannot serve (contract §9). */
const NEEDED_BY_GATEWAY: readonly ServiceName[] = ['accounts', 'catalog', 'booking'];
const REPORTED_BY_GATEWAY: readonly ServiceName[] = ['customer', 'notifications'];
const CHECK_TIMEOUT = 500;

/**
 * Whether this process can serve: the bus, its database and, for a gateway, the services behind it. Redis, notifications
 * and customer are reported and never make it unready, for nothing fails without them.
 */
export class Readiness {
	#state: ReadinessReport['state'] = 'starting';
	#broker: ServiceBroker | undefined;
	/** Of a gateway: it serves once it has reached every service, the reported ones too. */
	#reachedAll = false;
	readonly #onStopping: (() => void)[] = [];
	readonly #services: readonly ServiceName[];
	readonly #store: Store | undefined;

	constructor(services: readonly ServiceName[], store: Store | undefined) {
		this.#services = services;
		this.#store = store;
	}

	/** The broker runs, and every service of this process with it. */
	up(broker: ServiceBroker): void {
		this.#broker = broker;
		this.#state = 'up';
	}

	stopping(): void {
		this.#state = 'stopping';
		for (const listener of this.#onStopping) listener();
	}

	/** Called when the process is told to stop, before anything of it ends. */
	onStopping(listener: () => void): void {
		this.#onStopping.push(listener);
	}

	get isStopping(): boolean {
		return this.#state === 'stopping';
	}

	/** Takes at most half a second. */
	async report(): Promise<ReadinessReport> {
		const checks: ReadinessReport['checks'] = {};
		const broker = this.#broker;
		if (broker === undefined) return { ready: false, state: this.#state, checks };
		const [bus, store] = await Promise.all([busAnswers(broker), this.#storeAnswers()]);
		if (broker.transit) checks.bus = bus ? 'ok' : 'unreachable';
		if (this.#store) checks.store = store ? 'ok' : 'unreachable';
		let needed = bus && store;
		if (this.#services.includes('gateway')) {
			for (const name of [...NEEDED_BY_GATEWAY, ...REPORTED_BY_GATEWAY]) {
				checks[name] = isAvailable(broker, name) ? 'ok' : 'unreachable';
				if (NEEDED_BY_GATEWAY.includes(name) && checks[name] !== 'ok') needed = false;
			}
			this.#reachedAll ||= Object.values(checks).every((check) => check === 'ok');
			needed &&= this.#reachedAll;
		}
		return { ready: this.#state === 'up' && needed, state: this.#state, checks };
	}

	/** A process without services of its own in a database (a lone gateway) has no store. */
	async #storeAnswers(): Promise<boolean> {
		return this.#store === undefined || answersInTime(this.#store.ping());
	}
}

/** Moleculer's `transit.connected` stays true while NATS is down; only a round trip tells. */
async function busAnswers(broker: ServiceBroker): Promise<boolean> {
	if (!broker.transit) return true;
	const client = (broker.transit as unknown as { tx: { client?: { rtt(): Promise<number> } } }).tx.client;
	return client !== undefined && answersInTime(client.rtt());
}

async function answersInTime(answer: Promise<unknown>): Promise<boolean> {
	let timer: NodeJS.Timeout | undefined;
	const timeout = new Promise<boolean>((resolve) => {
		timer = setTimeout(() => resolve(false), CHECK_TIMEOUT);
	});
	const answered = answer.then(
		() => true,
		() => false,
	);
	return Promise.race([answered, timeout]).finally(() => clearTimeout(timer));
}

export function isAvailable(broker: ServiceBroker, service: string): boolean {
	return broker.registry.getServiceList({ onlyAvailable: true }).some((entry) => entry.name === service);
}

/** What every process tells operators about itself, whatever services it runs. */
export function processService(
	readiness: Readiness,
	store: Store | undefined,
	gate: StoreGate | undefined,
): ServiceSchema {
	const copyStore = storeCopier(store);
	const actions: Handlers<'ops'> = {
		async process() {
			const { ready, state, checks } = await readiness.report();
			return {
				pid: process.pid,
				version: productVersion,
				uptime: Math.round(process.uptime()),
				memory: Math.round(process.memoryUsage.rss() / 2 ** 20),
				ready,
				state,
				checks,
				closing: gate?.state ?? null,
			};
		},
		copyStore: ({ params }) => copyStore(params),
		/** Nothing is written to a store that is closed already. */
		recordCommand: async (context) => (gate?.isClosed ? 'ok' : call(context, 'accounts.recordCommand', context.params)),
		async closeStore() {
			await gate?.close();
			return 'ok';
		},
		async reopenStore() {
			await gate?.reopen();
			return 'ok';
		},
	};
	return { name: 'ops', actions };
}
