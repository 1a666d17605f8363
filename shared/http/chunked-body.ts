const LF = 0x0a;
const CR = 0x0d;
/** Bytes of the end of the line behind a chunk's data */
const LINE_END = 2;

/** Tells where a body in chunks ends (RFC 9112 §7.1), without parsing more of it than sizes and the ends of lines. */
export class ChunkedBody {
	/** Bytes of the present chunk that are still to come, with its end */
	#left = 0;
	#size = 0;
	/** Whether the digits of a size are read: not in what follows them in its line */
	#isSize = true;
	#isTrailer = false;
	#lineLength = 0;

	/** @returns how many of these bytes, which follow the ones before, belong to the body */
	lengthIn(bytes: Buffer): number {
		let at = 0;
		while (at < bytes.length) {
			if (this.#left > 0) {
				const step = Math.min(this.#left, bytes.length - at);
				this.#left -= step;
				at += step;
			} else {
				const byte = bytes[at++]!;
				if (byte !== LF) this.#readInLine(byte);
				else if (this.#endLine()) break;
			}
		}
		return at;
	}

	#readInLine(byte: number): void {
		if (byte === CR) return;
		this.#lineLength++;
		const digit = this.#isSize ? Number.parseInt(String.fromCharCode(byte), 16) : Number.NaN;
		this.#isSize = !Number.isNaN(digit);
		if (this.#isSize) this.#size = this.#size * 16 + digit;
	}

	/** @returns whether the body ends with this line */
	#endLine(): boolean {
		const isLast = this.#isTrailer && this.#lineLength === 0;
		this.#isTrailer ||= this.#size === 0;
		this.#left = this.#isTrailer ? 0 : this.#size + LINE_END;
		this.#isSize = !this.#isTrailer;
		this.#size = 0;
		this.#lineLength = 0;
		return isLast;
	}
}
