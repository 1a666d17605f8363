import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { connect } from 'nats';
import { LOCK_SCRIPTS, LockKeys, type LockRedis, tokenArguments } from '../../shared/lock/lock-commands.ts';
import { openStore } from '../../shared/store/open-store.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { play } from '../store/play.ts';
import { playInMemory } from '../store/play-in-memory.ts';
import { stories } from '../store/random-operations.ts';
import { thingModel } from '../store/thing.ts';
import { isInstalled, startNats, startRedis } from '../support/servers.ts';
import { type Fate, MongoServer } from './servers/mongo-server.ts';
import { NatsServer } from './servers/nats-server.ts';
import { RedisServer } from './servers/redis-server.ts';
import { RealSockets } from './support/on-real-sockets.ts';

const closings: (() => unknown)[] = [];
afterAll(async () => {
	for (const close of closings.reverse()) await close();
});

/** A simulated server on a real port. @returns the port */
async function serve(make: (sockets: RealSockets) => { start(): void }): Promise<number> {
	const sockets = new RealSockets();
	make(sockets).start();
	closings.push(() => sockets.close());
	return sockets.port();
}

describe('The simulated MongoDB', () => {
	test('When random filters, updates and sorts run on it, then mingo alone answers alike, as MongoDB does', async () => {
		const fate = () => ({});
		const port = await serve(({ network, process }) => new MongoServer(network, process, { fate }));
		const store = await openStore({ form: 'cluster', mongoUrl: `mongodb://127.0.0.1:${port}`, namespace: 'things' });
		closings.push(() => store.close());
		const things = thingModel(store.connection);
		await prepareModels([things]);
		const property = fc.asyncProperty(stories, async (story) => {
			expect(await play(things, story)).toEqual(playInMemory(story));
		});
		await fc.assert(property, { numRuns: 40 });
	});

	test('When a connection ends on which a write is on its way, then its client is told, and the write lands later', async () => {
		const fates: Fate[] = [];
		const fate = (_client: string, _command: string, _collection: string, isWrite: boolean) =>
			(isWrite && fates.pop()) || {};
		const port = await serve(({ network, process }) => new MongoServer(network, process, { fate }));
		const store = await openStore({ form: 'cluster', mongoUrl: `mongodb://127.0.0.1:${port}`, namespace: 'late' });
		closings.push(() => store.close());
		const things = thingModel(store.connection);
		await prepareModels([things]);
		fates.push({ late: 3_000, lostMeanwhile: true });
		await expect(things.collection.insertOne({ _id: 7 } as never)).rejects.toThrow(/connection/);
		expect(await things.countDocuments()).toBe(0);
		const landed = async (): Promise<boolean> => (await things.countDocuments()) > 0 || delay(20).then(landed);
		await landed();
	});
});

const describeRedis = isInstalled('redis-server') ? describe : describe.skip;

describeRedis('The simulated Redis', () => {
	const key = fc.constantFrom('{a}1', '{a}2');
	const word = fc.constantFrom('x', 'y', 'ÿ');
	/** The commands that the scripts use, and the lock's scripts themselves */
	const command = fc.oneof(
		fc.tuple(fc.constant('set'), key, word, fc.constant('PX'), fc.constant('100000')),
		...['get', 'del', 'lpop', 'llen'].map((name) => fc.tuple(fc.constant(name), key)),
		fc.tuple(fc.constant('rpush'), key, word),
		fc.tuple(fc.constant('lpos'), key, word),
		fc.tuple(fc.constant('lrem'), key, fc.constant('0'), word),
		fc.tuple(fc.constant('pexpire'), key, fc.constant('100000')),
	);

	test('When random commands run on both, then both answer alike', async () => {
		const real = await startRedis(tmpdir());
		closings.push(() => real.stop());
		const port = await serve(({ network, process }) => new RedisServer(network, process));
		const [one, other] = [new Redis(real.url), new Redis(port, '127.0.0.1')];
		closings.push(() => [one.disconnect(), other.disconnect()]);
		const ask = (redis: Redis, [name, ...args]: string[]) => {
			// Through a script, as the product asks everything but subscriptions.
			const words = ['KEYS[1]', ...args.slice(1).map((_, index) => `ARGV[${index + 1}]`)].join(', ');
			return redis.eval(`return redis.call('${name}', ${words})`, 1, args[0]!, ...args.slice(1)).catch(() => 'refused');
		};
		const property = fc.asyncProperty(fc.array(command, { maxLength: 30 }), async (commands) => {
			for (const redis of [one, other])
				await redis.eval("redis.call('DEL', KEYS[1]) return redis.call('DEL', KEYS[2])", 2, '{a}1', '{a}2');
			for (const each of commands) expect([each, await ask(other, each)]).toEqual([each, await ask(one, each)]);
		});
		await fc.assert(property, { numRuns: 100 });
	});

	test('When the scripts of the lock run on both, then both answer alike', async () => {
		const real = await startRedis(tmpdir());
		closings.push(() => real.stop());
		const port = await serve(({ network, process }) => new RedisServer(network, process));
		const options = { scripts: LOCK_SCRIPTS };
		const [one, other] = [new Redis(real.url, options), new Redis(port, '127.0.0.1', options)] as LockRedis[];
		closings.push(() => [one!.disconnect(), other!.disconnect()]);
		const keys = new LockKeys('test');
		let places = 0;
		/** Times are a little different */
		const ask = async (redis: LockRedis, place: string, what: string, token: string) => {
			if (what === 'inspect') return (await redis.inspect(...keys.of(place))).slice(0, 2);
			const given = tokenArguments(keys, place, token, 100_000);
			return what === 'acquire' ? (await redis.acquire(...given))[0] : redis.release(...given);
		};
		const what = fc.constantFrom('acquire', 'acquire', 'release', 'inspect');
		const steps = fc.array(fc.tuple(what, fc.constantFrom('p.1', 'p.2', 'q.1')), { maxLength: 25 });
		const property = fc.asyncProperty(steps, async (asked) => {
			const place = `place-${++places}`;
			for (const [name, token] of asked) {
				const expected = await ask(one!, place, name, token);
				expect([name, token, await ask(other!, place, name, token)]).toEqual([name, token, expected]);
			}
		});
		await fc.assert(property, { numRuns: 50 });
	});
});

const describeNats = isInstalled('nats-server') ? describe : describe.skip;

describeNats('The simulated NATS', () => {
	/** What each of several subscriptions heard */
	async function heard(port: number): Promise<unknown> {
		const [sender, listener] = [await connect({ port }), await connect({ port })];
		const heardBy: Record<string, string[]> = {};
		const subscribe = (subject: string, options: { queue?: string; max?: number } = {}) => {
			const name = `${subject} ${JSON.stringify(options)}`;
			heardBy[name] ??= [];
			listener.subscribe(subject, {
				...options,
				callback: (_error, message) => {
					heardBy[name]!.push(`${message.subject}: ${message.string()}`);
					if (message.reply) message.respond('answer');
				},
			});
		};
		for (const subject of ['a.b', 'a.*', 'a.>', '*.b', '>', 'a']) subscribe(subject);
		subscribe('a.b', { max: 2 });
		for (const _ of ['one', 'other']) subscribe('a.b', { queue: 'workers' });
		await listener.flush();
		for (const subject of ['a.b', 'a.b', 'a.c', 'a.b.c', 'a', 'x.b', 'a.b']) sender.publish(subject, `to ${subject}`);
		const answer = await sender.request('q.r', 'question', { timeout: 2_000 });
		await sender.flush();
		await listener.flush();
		await delay(50);
		await Promise.all([sender.close(), listener.close()]);
		const inboxes = /_INBOX\.\S+/g;
		return JSON.parse(JSON.stringify({ heardBy, answer: answer.string() }).replace(inboxes, '_INBOX'));
	}

	test('When messages go to subjects, wildcards and queues, then the same are heard', async () => {
		const real = await startNats(tmpdir());
		closings.push(() => real.stop());
		const port = await serve(({ network, process }) => new NatsServer(network, process, { fate: () => 'delivered' }));
		expect(await heard(port)).toEqual(await heard(real.port));
	});
});
