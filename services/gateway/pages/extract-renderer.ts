import { parentPort } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import plugin from '@scalar/fastify-api-reference';

/**
 * A worker thread: posts the renderer's script, compressed. The package has it as a Fastify plugin, which registers a
 * route that answers the script; here that route is called without Fastify.
 */
interface Route {
	url: string;
	handler(request: unknown, reply: Reply): unknown;
}
interface Reply {
	header(): Reply;
	send(text: string): void;
}

const routes: Route[] = [];
const fastify = { route: (route: Route) => routes.push(route), hasPlugin: () => false, initialConfig: {} };
plugin(fastify as never, { routePrefix: '/docs', configuration: { url: '/openapi.json' } }, () => {});

const script = routes.find(({ url }) => url.endsWith('.js'));
const reply: Reply = { header: () => reply, send: (text) => parentPort!.postMessage(gzipSync(text)) };
script?.handler({}, reply);
