import type { Network, SimSocket } from '../world/network.ts';
import type { Random } from '../world/random.ts';
import type { SimProcess } from '../world/sim-process.ts';

const PORT = 80;

/** A customer's server: it answers well, with an error, late, never, or hangs up, as its mood is. */
export class Receiver {
	readonly #random: Random;
	/** Parts of all answers: 500, none, the connection's end, late */
	readonly #mood: readonly [number, number, number, number];
	received = 0;

	constructor(network: Network, process: SimProcess) {
		this.#random = process.random;
		const often = () => (this.#random.chance(0.4) ? this.#random.next() * 0.4 : 0);
		this.#mood = [often(), often() / 4, often(), often()];
		network.listen(process, PORT, (socket) => this.#serve(socket));
	}

	#serve(socket: SimSocket): void {
		let arrived = Buffer.alloc(0);
		socket.on('error', () => {});
		socket.on('data', (chunk: Buffer) => {
			arrived = Buffer.concat([arrived, chunk]);
			const end = arrived.indexOf('\r\n\r\n');
			const length = Number(/content-length: (\d+)/i.exec(arrived.toString('latin1', 0, Math.max(0, end)))?.[1]);
			if (end < 0 || arrived.length < end + 4 + length) return;
			arrived = Buffer.alloc(0);
			this.received++;
			this.#answer(socket);
		});
	}

	#answer(socket: SimSocket): void {
		const [fails, hangs, hangsUp, late] = this.#mood;
		let choice = this.#random.next();
		const is = (part: number) => {
			choice -= part;
			return choice < 0;
		};
		const say = (status: string) => socket.write(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`);
		if (is(fails)) say('500 No');
		else if (is(hangs)) return;
		else if (is(hangsUp)) socket.destroy();
		else if (is(late)) setTimeout(() => say('200 OK'), this.#random.exponential(2_000));
		else say('200 OK');
	}
}
