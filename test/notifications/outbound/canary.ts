import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';

/** A server that nobody may reach: it counts TCP connections and ends them. */
export interface Canary {
	port: number;
	/** Whether it can be reached at ::1 as well */
	hasIPv6: boolean;
	connections(): number;
	close(): Promise<void>;
}

/** @param host default: all addresses of this machine, IPv6 too where it has that */
export async function startCanary(host = anyAddress(), port = 0): Promise<Canary> {
	let connections = 0;
	const server = createServer((socket) => {
		connections++;
		socket.on('error', () => {}).destroy();
	});
	await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
	return {
		port: (server.address() as AddressInfo).port,
		hasIPv6: (server.address() as AddressInfo).family === 'IPv6',
		connections: () => connections,
		close: () => new Promise((resolve) => server.close(() => resolve())),
	};
}

function anyAddress(): string {
	const all = Object.values(networkInterfaces()).flat();
	return all.some((one) => one?.address === '::1') ? '::' : '0.0.0.0';
}
