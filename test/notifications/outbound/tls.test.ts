import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import * as tls from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WebhookSender } from '../../../services/notifications/webhooks/outbound/send.ts';
import { start } from './receivers.ts';

const file = (name: string) => readFileSync(join(import.meta.dirname, 'certificates', name), 'utf8');
/** Node 24.5 and later; our authority cannot be trusted before */
const describeTls = 'setDefaultCACertificates' in tls ? describe : describe.skip;

describeTls('TLS', () => {
	const before = tls.getCACertificates();
	beforeAll(() => tls.setDefaultCACertificates([...before, file('authority.pem')]));
	afterAll(() => tls.setDefaultCACertificates(before));

	const sender = new WebhookSender({ allowPrivate: true, lookup: async () => ['127.0.0.1'] });

	const sendHere = (url: string) => sender.send({ url, headers: {}, body: '{}' });

	/** An attempt at a server with this certificate, and the requests that came through. */
	async function attempt(
		certificate: string,
		host = 'hooks.example.com',
		options: tls.TlsOptions = {},
		send = sendHere,
	) {
		let requests = 0;
		let name: string | false | null | undefined;
		const server = createServer(
			{ key: file('server.key'), cert: file(certificate), ...options },
			(request, response) => {
				requests++;
				name = (request.socket as tls.TLSSocket).servername;
				response.end();
			},
		);
		server.on('tlsClientError', () => {});
		const receiver = await start(server, 'https');
		const url = receiver.url.replace('127.0.0.1', host);
		const { status, error } = await send(url);
		await receiver.close();
		return { status, error, requests, name };
	}

	test('When the certificate is good, then the message is delivered, with the name in the handshake', async () => {
		const delivered = { status: 200, error: null, requests: 1 };
		expect(await attempt('good.pem')).toEqual({ ...delivered, name: 'hooks.example.com' });
		expect(await attempt('good.pem', 'HOOKS.example.com.')).toEqual({ ...delivered, name: 'hooks.example.com' });
		expect(await attempt('good.pem', '127.0.0.1')).toEqual({ ...delivered, name: false });
	});

	test.each([
		['expired.pem', 'the TLS certificate has expired'],
		['other-name.pem', 'the TLS certificate is not for this host name'],
		['self-signed.pem', 'the TLS certificate is self-signed'],
	])('When the certificate is %s, then nothing is sent, and the reason is readable', async (certificate, error) => {
		expect(await attempt(certificate)).toEqual({ status: null, error, requests: 0, name: undefined });
	});

	test('When the environment says that certificates do not matter, then they do', async () => {
		const { error, requests } = await attempt('self-signed.pem', 'hooks.example.com', {}, async (url) => {
			const env = { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
			const script = join(import.meta.dirname, 'send-once.ts');
			return JSON.parse((await promisify(execFile)(process.execPath, [script, url], { env })).stdout);
		});
		expect({ error, requests }).toEqual({ error: 'the TLS certificate is self-signed', requests: 0 });
	});

	test('When the authority is unknown, then nothing is sent', async () => {
		tls.setDefaultCACertificates(before);
		try {
			expect(await attempt('good.pem')).toMatchObject({
				error: 'the TLS certificate is not from a trusted authority, or its chain is incomplete',
				requests: 0,
			});
		} finally {
			tls.setDefaultCACertificates([...before, file('authority.pem')]);
		}
	});

	test('When the server speaks an old TLS only, or none at all, then TLS failed', async () => {
		const old: tls.TlsOptions = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' };
		expect(await attempt('good.pem', 'hooks.example.com', old)).toMatchObject({
			status: null,
			error: 'TLS failed',
			requests: 0,
		});
	});
});
