import { connect } from 'node:net';

/**
 * Sends bytes that no HTTP client would, and returns all that comes back until the server closes the connection.
 * @param url of the server
 */
export function sendRaw(url: string, bytes: string): Promise<{ status: number; head: string; body: string }> {
	const { hostname, port } = new URL(url);
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = [];
		const socket = connect(Number(port), hostname, () => socket.write(bytes));
		socket.setTimeout(60_000, () => socket.destroy(new Error('the server neither answered nor closed')));
		socket.on('data', (chunk) => chunks.push(chunk));
		socket.on('error', reject);
		socket.on('close', () => {
			const text = Buffer.concat(chunks).toString('utf8');
			const [head = '', body = ''] = text.split('\r\n\r\n', 2);
			resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head, body });
		});
	});
}
