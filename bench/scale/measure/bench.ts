import { Child } from '../../../test/support/child.ts';
import { freePort } from '../../../test/support/free-port.ts';
import { type Product, startProduct } from '../../../test/support/product.ts';
import { until } from '../../../test/support/until.ts';
import { WebhookReceiver } from '../../../test/support/webhook-receiver.ts';
import { WireCounter } from './wire-counter.ts';

/** The product in its cluster form, one process of each service, and all that counts what they do to each other. */
export interface Bench {
	product: Product;
	wire: WireCounter;
	receiver: WebhookReceiver;
	natsMonitor: string;
	natsPid: number;
	/** Roots of the database's process trees; empty where they are not known */
	databasePids: number[];
	stop(): Promise<void>;
}

/** @param databasePids processes of the database at TEST_MONGO_URL, for its processor time */
export async function startBench(databasePids: number[]): Promise<Bench> {
	const [port, monitor] = [await freePort(), await freePort()];
	const nats = new Child('nats-server', 'nats-server', ['-a', '127.0.0.1', '-p', `${port}`, '-m', `${monitor}`]);
	const natsMonitor = `http://127.0.0.1:${monitor}`;
	await until(async () => (await fetch(`${natsMonitor}/varz`)).ok, { what: 'nats-server' });
	let wire: WireCounter | undefined;
	const product = await startProduct({
		form: 'cluster',
		keys: { Unlimited: 331, Growth: 8 },
		async through({ redis, mongo }) {
			wire = await WireCounter.before(mongo);
			const counted = new URL(mongo);
			counted.host = `127.0.0.1:${wire.port}`;
			return { nats: `nats://127.0.0.1:${port}`, redis, mongo: counted.href };
		},
	});
	const receiver = await WebhookReceiver.start();
	return {
		product,
		wire: wire!,
		receiver,
		natsMonitor,
		natsPid: nats.pid,
		databasePids,
		async stop() {
			await product.stop();
			await receiver.stop();
			wire?.close();
			await nats.stop(5_000);
		},
	};
}
