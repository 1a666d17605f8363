import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { ServiceBroker } from 'moleculer';
import { NatsTransporter } from '../../shared/bus/nats-transporter.ts';

/** A transporter whose client notes what it publishes, and in which turn of the event loop. */
function scene() {
	const published: { topic: string; turn: number }[] = [];
	let turns = 0;
	const transporter = new NatsTransporter({});
	const publish = (topic: string) => {
		if (topic === 'too large') throw new Error('MAX_PAYLOAD_EXCEEDED');
		published.push({ topic, turn: turns });
	};
	Object.assign(transporter, { broker: new ServiceBroker({ logger: false }), client: { publish } });
	const send = (topic: string) => transporter.send(topic, Buffer.from(topic));
	const nextTurn = async () => {
		await turn();
		turns++;
	};
	return { published, send, nextTurn };
}

test('When several messages are sent in one turn of the event loop, then they leave together, in their order', async () => {
	const { published, send, nextTurn } = scene();
	const sent = [send('first'), Promise.resolve().then(() => send('second'))];
	expect(published).toEqual([]);
	await Promise.all(sent);
	await nextTurn();
	await send('third');
	expect(published).toEqual([
		{ topic: 'first', turn: 0 },
		{ topic: 'second', turn: 0 },
		{ topic: 'third', turn: 1 },
	]);
});

test('When a message cannot be sent, then its sender hears of it, and the others leave', async () => {
	const { published, send } = scene();
	const sent = await Promise.allSettled([send('first'), send('too large'), send('second')]);
	expect(sent.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
	expect(published.map(({ topic }) => topic)).toEqual(['first', 'second']);
});
