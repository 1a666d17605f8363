import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Context, ServiceBroker, type ServiceSchema } from 'moleculer';
import Web from 'moleculer-web';
import { serveTasks } from '../forked.ts';

/**
 * What Moleculer and moleculer-web themselves cost: a route, an action, its answer. No logger, no middlewares, no
 * validator, no database. The answers are those of the product, word for word, from the file that ECHO_ANSWERS names
 * (an object by name); they are made JSON anew each time. POST parses its body.
 *
 * With NATS_URL the gateway and the action are two processes: ECHO_ROLE is `gateway` or `echo`.
 */
const { ECHO_ANSWERS, NATS_URL, ECHO_ROLE, ECHO_NAMESPACE } = process.env;
const answers = ECHO_ANSWERS === undefined ? {} : JSON.parse(readFileSync(ECHO_ANSWERS, 'utf8'));

const broker = new ServiceBroker({
	logger: false,
	namespace: ECHO_NAMESPACE ?? 'echo',
	transporter: NATS_URL === undefined ? null : { type: 'NATS', options: { servers: [NATS_URL] } },
	internalMiddlewares: false,
	validator: false,
});

if (ECHO_ROLE !== 'gateway') {
	broker.createService({
		name: 'echo',
		actions: { answer: (ctx: Context<{ name: string }>) => answers[ctx.params.name] ?? null },
	});
}

const gateway =
	ECHO_ROLE === 'echo'
		? undefined
		: broker.createService({
				mixins: [Web as ServiceSchema],
				name: 'gateway',
				settings: {
					port: Number(process.env.PORT ?? 0),
					ip: '127.0.0.1',
					routes: [
						{
							path: '/',
							bodyParsers: { json: true },
							aliases: { 'GET /echo/:name': 'echo.answer', 'POST /echo/:name': 'echo.answer' },
						},
					],
				},
			});

await broker.start();
if (gateway !== undefined) await broker.waitForServices('echo');
const address = (gateway as { server?: Server } | undefined)?.server?.address() as AddressInfo | undefined;
serveTasks(address === undefined ? undefined : `http://127.0.0.1:${address.port}`, () => undefined);
