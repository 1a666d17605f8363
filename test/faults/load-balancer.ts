import type { ReadinessReport } from '../../shared/process/readiness.ts';
import type { Answer, RequestOptions } from '../support/http-client.ts';
import { Client } from '../support/http-client.ts';
import type { ProductProcess } from '../support/product-process.ts';

const LOOK_EVERY = 100; // ms
const PATIENCE = 6_000; // ms: two looks of the readiness probe of k8s/base

/**
 * Sends like a load balancer: in turn to the gateways that are ready, and to the next one where a connection is refused,
 * for then nothing was sent. Nothing else is ever sent again. A gateway is out as soon as its /readyz says that it starts
 * or stops; one that is unready for another reason, on a machine that is busy say, gets the patience of a probe.
 */
export class LoadBalancer {
	readonly #gateways: readonly ProductProcess[];
	readonly #out = new Set<ProductProcess>();
	/** When each was last ready, in ms */
	readonly #seenReady = new Map<ProductProcess, number>();
	readonly #watch: NodeJS.Timeout;
	#turn = 0;
	/** Connections that were refused, and so went to the next gateway */
	refused = 0;

	constructor(gateways: readonly ProductProcess[]) {
		this.#gateways = gateways;
		this.#watch = setInterval(() => void this.#look(), LOOK_EVERY);
	}

	close(): void {
		clearInterval(this.#watch);
	}

	async request<T>(key: string, method: string, path: string, options?: RequestOptions): Promise<Answer<T>> {
		for (let tried = 0; ; tried++) {
			const gateway = this.#next();
			try {
				return await new Client([gateway.url!], key).request<T>(method, path, options);
			} catch (error) {
				if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED' || tried === this.#gateways.length) throw error;
				this.refused++;
				this.#out.add(gateway);
			}
		}
	}

	#next(): ProductProcess {
		const serving = this.#gateways.filter((gateway) => gateway.url !== undefined && !this.#out.has(gateway));
		if (serving.length === 0) throw new Error('no gateway is ready');
		return serving[this.#turn++ % serving.length]!;
	}

	async #look(): Promise<void> {
		await Promise.all(
			this.#gateways.map(async (gateway) => {
				const report = await readiness(gateway);
				if (report?.ready) {
					this.#seenReady.set(gateway, performance.now());
					this.#out.delete(gateway);
				} else if (report?.state !== 'up' || performance.now() - (this.#seenReady.get(gateway) ?? 0) > PATIENCE) {
					this.#out.add(gateway);
				}
			}),
		);
	}
}

/** Undefined where nothing listens; a gateway that takes too long to say is up, and not ready. */
async function readiness({ url }: ProductProcess): Promise<Pick<ReadinessReport, 'ready' | 'state'> | undefined> {
	if (url === undefined) return undefined;
	try {
		const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) });
		return ((await answer.json()) as { data: ReadinessReport }).data;
	} catch (error) {
		return (error as Error).name === 'TimeoutError' ? { ready: false, state: 'up' } : undefined;
	}
}
