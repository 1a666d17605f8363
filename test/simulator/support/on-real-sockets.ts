import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Network, SimSocket } from '../world/network.ts';
import { Random } from '../world/random.ts';
import type { SimProcess } from '../world/sim-process.ts';

/** Where a simulated server listens on a real port, and time is the real one: to compare it with the real server. */
export class RealSockets {
	readonly process = {
		address: '127.0.0.1',
		random: new Random('conformance'),
		wall: () => Date.now(),
		get time() {
			return performance.now();
		},
	} as SimProcess;
	readonly network = {
		listen: (_process: SimProcess, _port: number, accept: (socket: SimSocket) => void) => {
			this.#server = createServer((socket) => accept(socket as unknown as SimSocket));
			this.#server.listen(0, '127.0.0.1');
			return () => {};
		},
	} as unknown as Network;
	#server!: Server;

	/** Of the one server that was started */
	async port(): Promise<number> {
		if (!this.#server.listening) await new Promise((resolve) => this.#server.once('listening', resolve));
		return (this.#server.address() as AddressInfo).port;
	}

	close(): void {
		this.#server.close();
	}
}
