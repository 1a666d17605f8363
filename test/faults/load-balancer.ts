import type { Answer, RequestOptions } from '../support/http-client.ts';
import { Client } from '../support/http-client.ts';
import type { ProductProcess } from '../support/product-process.ts';

const LOOK_EVERY = 100; // ms

/**
 * Sends like a load balancer: in turn to the gateways whose /readyz answers 200, and to the next one where a connection
 * is refused, for then nothing was sent. Nothing else is ever sent again.
 */
export class LoadBalancer {
	readonly #gateways: readonly ProductProcess[];
	readonly #out = new Set<ProductProcess>();
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
				const ready = await fetch(`${gateway.url}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
					({ status }) => status === 200,
					() => false,
				);
				if (ready) this.#out.delete(gateway);
				else this.#out.add(gateway);
			}),
		);
	}
}
