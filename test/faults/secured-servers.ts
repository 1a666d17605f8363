import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server as TlsServer } from 'node:tls';
import { freePort } from '../support/free-port.ts';
import type { ClusterUrls } from '../support/product.ts';
import { type Server, startServer } from '../support/servers.ts';

export const PASSWORD = 'correct-horse';

/** NATS and Redis with TLS and a password, MongoDB behind TLS: their certificate, of a CA of their own, is for `localhost`. */
export interface SecuredServers {
	urls: ClusterUrls;
	/** File with the certificate of the CA that signed theirs */
	ca: string;
	stop(): Promise<void>;
}

/** @param mongoUrl of a MongoDB without TLS, which is put behind it */
export async function startSecured(mongoUrl: string): Promise<SecuredServers> {
	const directory = mkdtempSync(join(tmpdir(), 'slotwise-tls-'));
	makeCertificates(directory);
	const [nats, redis, mongo] = await Promise.all([
		startNats(directory),
		startRedis(directory),
		putBehindTls(directory, Number(new URL(mongoUrl).port)),
	]);
	const behind = new URL(mongoUrl);
	behind.host = `localhost:${(mongo.address() as AddressInfo).port}`;
	behind.searchParams.set('tls', 'true');
	return {
		urls: { nats: nats.url, redis: redis.url, mongo: behind.href },
		ca: join(directory, 'ca.pem'),
		async stop() {
			mongo.close();
			await Promise.all([nats.stop(), redis.stop()]);
			rmSync(directory, { recursive: true, force: true });
		},
	};
}

/** As an operator makes them who has no CA: docs/operations.md has no more to say of it. */
function makeCertificates(directory: string): void {
	const openssl = (line: string) => execFileSync('openssl', line.split(' '), { cwd: directory, stdio: 'pipe' });
	const key = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
	openssl(`req -x509 ${key} -days 1 -subj /CN=ca -keyout ca.key -out ca.pem`);
	openssl(`req ${key} -subj /CN=servers -keyout server.key -out server.csr`);
	writeFileSync(join(directory, 'names'), 'subjectAltName = DNS:localhost\n');
	openssl('x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 1 -extfile names -out server.pem');
}

async function startNats(directory: string): Promise<Server> {
	const port = await freePort();
	const configuration = [
		`listen: "127.0.0.1:${port}"`,
		`authorization { user: slotwise, password: "${PASSWORD}" }`,
		`tls { cert_file: "${join(directory, 'server.pem')}", key_file: "${join(directory, 'server.key')}" }`,
	];
	const file = join(directory, 'nats.conf');
	writeFileSync(file, configuration.join('\n'));
	return startServer('nats-server', ['-c', file], port, `tls://slotwise:${PASSWORD}@localhost:${port}`);
}

async function startRedis(directory: string): Promise<Server> {
	const port = await freePort();
	const certificate = ['--tls-cert-file', 'server.pem', '--tls-key-file', 'server.key', '--tls-ca-cert-file', 'ca.pem'];
	const tls = ['--port', '0', '--tls-port', `${port}`, '--tls-auth-clients', 'no', ...certificate];
	const args = ['--bind', '127.0.0.1', '--dir', directory, '--save', '', '--requirepass', PASSWORD, ...tls];
	return startServer('redis-server', args, port, `rediss://:${PASSWORD}@localhost:${port}/0`);
}

/** What a MongoDB that speaks TLS looks like from outside. */
async function putBehindTls(directory: string, port: number): Promise<TlsServer> {
	const read = (file: string) => readFileSync(join(directory, file));
	const server = createServer({ cert: read('server.pem'), key: read('server.key') }, (client) => {
		const target = connect(port, '127.0.0.1');
		client.pipe(target).pipe(client);
		client.on('error', () => target.destroy()).on('close', () => target.destroy());
		target.on('error', () => client.destroy()).on('close', () => client.destroy());
	});
	server.on('tlsClientError', () => {}); // a client that does not know the CA
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return server;
}
