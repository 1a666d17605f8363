import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Forked } from '../forked.ts';
import type { Site } from '../site.ts';

export const ECHO = new URL('echo.ts', import.meta.url);

/** Names of the answers, and where the product gives them */
const paths = (site: Site) => ({
	service: `/v1/services/${site.service}`,
	booking: `/v1/bookings/${site.first}`,
	list: `/v1/bookings?service_id=${site.service}&page=1&page_size=20`,
});

export type EchoName = keyof ReturnType<typeof paths>;

export interface Echo {
	url: string;
	pids: number[];
	/** Bytes of each answer */
	sizes: Record<EchoName, number>;
	stop(): Promise<void>;
}

/** moleculer-web with nothing behind it, and the answers of a site. In a cluster: two processes on the site's NATS. */
export async function startEcho(site: Site): Promise<Echo> {
	const answers = {} as Record<EchoName, unknown>;
	for (const [name, path] of Object.entries(paths(site))) answers[name as EchoName] = await site.get(path);
	const file = join(site.product.directory, 'echo-answers.json');
	writeFileSync(file, JSON.stringify(answers));
	const nats = site.product.nats?.url;
	const start = (role?: 'gateway' | 'echo') =>
		new Forked<string, never, never>(ECHO, {
			ECHO_ANSWERS: file,
			...(nats === undefined ? {} : { NATS_URL: nats, ECHO_ROLE: role! }),
		});
	const processes = nats === undefined ? [start()] : [start('gateway'), start('echo')];
	const [url] = await Promise.all(processes.map(({ ready }) => ready));
	const size = (name: EchoName) => Buffer.byteLength(JSON.stringify(answers[name]));
	return {
		url: url!,
		pids: processes.map(({ pid }) => pid),
		sizes: { service: size('service'), booking: size('booking'), list: size('list') },
		async stop() {
			for (const one of processes) await one.stop();
		},
	};
}
