import { afterEach, expect, test } from '@jest/globals';
import { type Context, Errors, ServiceBroker, type ServiceSchema } from 'moleculer';
import { limitCalls } from '../../shared/bus/limit-calls.ts';
import { until } from '../support/until.ts';

const brokers: ServiceBroker[] = [];
afterEach(async () => {
	await Promise.all(brokers.splice(0).map((broker) => broker.stop()));
});

async function start(actions: ServiceSchema['actions'], shutdownTimeout = 10_000): Promise<ServiceBroker> {
	const broker = new ServiceBroker({
		logger: false,
		requestTimeout: 8_000,
		internalMiddlewares: false,
		middlewares: [limitCalls()],
		tracking: { enabled: true, shutdownTimeout },
		skipProcessEventRegistration: true,
	});
	broker.createService({ name: 'thing', actions });
	await broker.start();
	brokers.push(broker);
	return broker;
}

/** An action that answers when it is told to. */
function held(): { action: () => Promise<string>; answer: () => void } {
	const { promise, resolve } = Promise.withResolvers<string>();
	return { action: () => promise, answer: () => resolve('late') };
}

test('When an action does not answer in time, then its caller is told so, and other calls are not', async () => {
	const { action, answer } = held();
	const broker = await start({ wait: action, fail: () => Promise.reject(new Error('its own')) });
	const patient = broker.call('thing.wait', {}, { timeout: 60_000 });
	const forever = broker.call('thing.wait', {}, { timeout: 0 });
	await expect(broker.call('thing.wait', {}, { timeout: 50 })).rejects.toThrow(Errors.RequestTimeoutError);
	await expect(broker.call('thing.fail')).rejects.toThrow('its own');
	answer();
	expect(await Promise.all([patient, forever])).toEqual(['late', 'late']);
});

test('When an action calls another one, then that has what is left of its time', async () => {
	const broker = await start({
		outer: (ctx: Context) => ctx.call('thing.inner', {}, { timeout: 5_000 }),
		inner: ({ options }: Context) => options.timeout,
	});
	expect(await broker.call('thing.outer', {}, { timeout: 1_000 })).toBeLessThanOrEqual(1_000);
	expect(await broker.call('thing.inner')).toBe(8_000);
});

test('When a service stops, then it waits for what it works at, though nobody waits for that any more', async () => {
	const { action, answer } = held();
	const broker = await start({ wait: action });
	await expect(broker.call('thing.wait', {}, { timeout: 1 })).rejects.toThrow(Errors.RequestTimeoutError);
	let hasStopped = false;
	const stop = broker.stop().then(() => {
		hasStopped = true;
	});
	await new Promise(setImmediate);
	expect(hasStopped).toBe(false);
	answer();
	await stop;
});

test('When what a service works at does not end, then it stops after the time that a stop may take', async () => {
	const { action, answer } = held();
	const broker = await start({ wait: action }, 20);
	const call = broker.call('thing.wait');
	await broker.stop();
	answer();
	expect(await call).toBe('late');
});

test('T5: When another process never answered a call, then a stop does not wait for it', async () => {
	const broker = await start({});
	const middleware = limitCalls() as unknown as {
		remoteAction: (
			next: (context: Context) => Promise<unknown>,
			action: object,
		) => (context: Context) => Promise<unknown>;
		stopping: (broker: ServiceBroker) => Promise<void>;
	};
	const unanswered = () => new Promise(() => {});
	const context = { id: 'one', broker, options: { timeout: 30 }, nodeID: 'other' } as unknown as Context;
	const call = middleware.remoteAction(unanswered, { name: 'thing.wait' })(context);
	let isOver = false;
	await expect(call).rejects.toThrow(Errors.RequestTimeoutError);
	void middleware.stopping(broker).then(() => {
		isOver = true;
	});
	await until(() => isOver, { timeout: 5_000, what: 'the stop' });
});
