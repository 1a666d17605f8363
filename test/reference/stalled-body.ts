import type { Operation } from '../../services/gateway/operations/operation.ts';
import { Answer, type Client } from '../support/http-client.ts';
import { sendRaw } from '../support/raw-http.ts';

/** Sends a request whose body never comes to its end. The server gives up after 8 to 9 s. */
export async function stalledBody({ method, path }: Operation, client: Client): Promise<Answer> {
	const head = [
		`${method} ${path.replaceAll(/\{\w+\}/g, '1')} HTTP/1.1`,
		'Host: 127.0.0.1',
		`Authorization: Bearer ${client.key}`,
		'Content-Type: application/json',
		'Content-Length: 100',
	];
	const { status, head: answered, body } = await sendRaw(client.url, `${head.join('\r\n')}\r\n\r\n{`);
	const lines = answered.split('\r\n').slice(1);
	const headers = lines.map((line) => {
		const [name, ...value] = line.split(': ');
		return [name!.toLowerCase(), value.join(': ')];
	});
	return new Answer(`${method} ${path}`, status, Object.fromEntries(headers), body);
}
