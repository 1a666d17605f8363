import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ChunkedBody } from './chunked-body.ts';
import { Later } from './later.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
/** Bytes of it that may have come before the last one */
const CUT = HEAD_END.length - 1;
const NOTHING = Buffer.alloc(0);
const [CR, LF] = HEAD_END;
/** Bytes of empty lines before a head: as many as a head may have. Node takes any number, and no timeout ends them. */
const MOST_EMPTY = 16 * 1_024;
/** Bytes of a chunked body that are parsed at a time: each chunk, if only of a byte, becomes an object and costs 10 µs */
const MOST_PIECE = 1_024;
/** Bodies in chunks that go on in a turn of the event loop, of all connections: 8 ms where all chunks are of a byte */
const bodies = new Later(5);
/**
 * Requests that came before the answer to the one before them, and that are begun in a turn, of all connections: 2 ms of the
 * smallest ones. Those of 1,000 connections would else be begun in each turn, and what needs several turns wait for all of them.
 */
const pipelined = new Later(32);

/** What is read goes here, from whatever connection: it is parsed at once, and what is kept is copied. */
const shelf = Buffer.allocUnsafeSlow(64 * 1024);
/** Bytes of the longest one of its beginnings that is kept: most requests are shorter */
const LONGEST_KEPT = 1_024;
/** By their length: to make one costs as much as to look for the end of a head */
const beginnings = new Array<Buffer | undefined>(LONGEST_KEPT + 1);

/**
 * Looks at the head of a request before it is parsed, where nothing else of its connection is here.
 * @returns the whole answer, as text of one byte a character; undefined where it is to be parsed and begun
 */
export type AnswerUnparsed = (head: Buffer) => string | undefined;

/** The field of a socket that has its turns. */
const TURNS = Symbol('turns');

interface OwnSocket extends Socket {
	[TURNS]?: Turns;
	/** Node's; null from the moment on at which a connection is no longer HTTP */
	parser?: object | null;
	_handle?: { useUserBuffer?(buffer: Buffer): void };
}

/**
 * A client may send its next requests before it has an answer (pipelining). Node parses all that it has read, up to
 * 64 KiB, and begins each request that it finds there: 2,400 at a time, each with its objects and then its answer, for
 * a client that need not read any of them. Here a request is begun when the answer before it is with the kernel, and
 * until then what the client sent stays as it came: bytes, of which no more are read (docs/adr/0027).
 * @param begin is called with each request, and with no other of its connection until the answer has been sent
 * @returns what the server is to call with each request
 */
export function inTurn(server: Server, begin: RequestListener, answerUnparsed?: AnswerUnparsed): RequestListener {
	server.on('connection', (socket: OwnSocket) => {
		socket[TURNS] = new Turns(socket, begin, answerUnparsed);
	});
	return (request, response) => (request.socket as OwnSocket)[TURNS]!.add(request, response);
}

/** The requests of one connection. */
class Turns {
	readonly #socket: OwnSocket;
	readonly #begin: RequestListener;
	readonly #answerUnparsed: AnswerUnparsed | undefined;
	/** Node's own listener: parses, and emits the requests that it finds */
	readonly #parse: (piece: Buffer) => void;
	/** The one that is being answered comes first. Seldom more than one, for the next is not parsed before its turn. */
	readonly #open: [IncomingMessage, ServerResponse][] = [];
	/** The last one that was parsed; its body may not be there yet */
	#last: IncomingMessage | undefined;
	/** Bytes of its body that are still to come, where it says how long it is */
	#bodyLeft = 0;
	/** Its body, where it comes in chunks: what follows it is another request, and must not be parsed with it */
	#chunks = new ChunkedBody();
	/** The last bytes of a head whose end has not come yet: that may be cut */
	#headTail = NOTHING;
	/** Bytes of empty lines since the last request */
	#emptyBytes = 0;
	#isAnswering = false;
	/** Whether bytes lie in the socket until a request is answered */
	#isHeld = false;
	/** Made once for all requests of the connection */
	readonly #onClose = () => this.#next();

	constructor(socket: OwnSocket, begin: RequestListener, answerUnparsed: AnswerUnparsed | undefined) {
		this.#socket = socket;
		this.#begin = begin;
		this.#answerUnparsed = answerUnparsed;
		const [parse] = socket.listeners('data');
		this.#parse = parse as (piece: Buffer) => void;
		socket.off('data', this.#parse);
		socket.on('data', (chunk: Buffer) => this.#read(chunk)); // what was put back comes this way, too
		readTo(shelf, socket, (length) => this.#read(onShelf(length)));
	}

	add(request: IncomingMessage, response: ServerResponse): void {
		this.#last = request;
		this.#open.push([request, response]);
		response.on('close', this.#onClose);
		if (!this.#isAnswering) this.#start();
	}

	#start(): void {
		this.#isAnswering = true;
		const [request, response] = this.#open[0]!;
		this.#begin(request, response);
	}

	#next(): void {
		this.#open.shift();
		this.#isAnswering = false;
		// Not at once: a client that has sent thousands of requests would keep the event loop for as long as they take.
		if (this.#open.length > 0 || this.#isHeld) pipelined.add(() => this.#goOn());
	}

	#goOn(): void {
		if (this.#socket.destroyed || this.#isAnswering) return;
		if (this.#open.length > 0) this.#start();
		else this.#release();
	}

	#read(chunk: Buffer): void {
		let rest = chunk;
		while (this.#isHttp()) {
			// Whoever reads a body makes Node resume the socket, whatever it is held for.
			if (this.#isHeld || !this.#mayParse()) {
				this.#hold(rest);
				return;
			}
			if (this.#isAnsweredUnparsed(rest)) return;
			const piece = this.#pieceOf(rest);
			if (this.#emptyBytes > MOST_EMPTY) {
				this.#socket.destroy();
				return;
			}
			this.#parsePiece(piece);
			if (piece.length === rest.length) return;
			rest = rest.subarray(piece.length);
			if (this.#isInChunks()) {
				this.#hold(rest);
				this.#whenRead(() => bodies.add(() => this.#release()));
				return;
			}
			if (this.#socket.isPaused()) {
				this.#putBack(rest); // whoever reads the body is slower than it comes
				return;
			}
		}
	}

	/**
	 * Only where these bytes are all that is here, and begin a request: what they end with is looked at by `AnswerUnparsed`.
	 * Node ends a connection on which nothing was parsed for 5 s since it was opened: so its first request is.
	 */
	#isAnsweredUnparsed(bytes: Buffer): boolean {
		const isOnlyOne = this.#open.length === 0 && this.#headTail.length === 0 && this.#socket.writableLength === 0;
		if (!isOnlyOne || !this.#last?.complete) return false;
		const answer = this.#answerUnparsed?.(bytes);
		if (answer !== undefined) this.#socket.write(answer, 'latin1');
		return answer !== undefined;
	}

	/** Not behind the last answer, such as a 400: what follows it would be malformed 10,000 times in one turn. */
	#isHttp(): boolean {
		const { parser, writableEnded, destroyed } = this.#socket;
		return Boolean(parser) && !writableEnded && !destroyed;
	}

	/** Not, where all that was sent next to an unanswered request can only be another one. */
	#mayParse(): boolean {
		return this.#open.length === 0 || !this.#last!.complete;
	}

	/** As much as belongs to one request, as far as that can be told without parsing. */
	#pieceOf(bytes: Buffer): Buffer {
		if (this.#bodyLeft > 0) return bytes.subarray(0, this.#bodyLeft);
		if (!this.#isInChunks()) {
			const length = this.#headLengthIn(bytes);
			return length === bytes.length ? bytes : bytes.subarray(0, length); // a view costs as much as the search
		}
		const most = bytes.subarray(0, MOST_PIECE);
		return most.subarray(0, this.#chunks.lengthIn(most));
	}

	/** Its end may be cut anywhere. All bytes where it is not among them. */
	#headLengthIn(bytes: Buffer): number {
		const before = this.#headTail;
		const begin = before.length === 0 ? emptyLinesIn(bytes) : 0;
		this.#emptyBytes += begin;
		const joint = before.length === 0 ? -1 : Buffer.concat([before, bytes.subarray(0, CUT)]).indexOf(HEAD_END);
		const at = joint === -1 ? bytes.indexOf(HEAD_END, begin) : joint - before.length;
		const isThere = joint !== -1 || at !== -1;
		this.#headTail = isThere ? NOTHING : Buffer.concat([before, bytes.subarray(begin).subarray(-CUT)]).subarray(-CUT);
		return isThere ? at + HEAD_END.length : bytes.length;
	}

	#isInChunks(): boolean {
		return this.#bodyLeft === 0 && this.#last !== undefined && !this.#last.complete;
	}

	#parsePiece(piece: Buffer): void {
		const before = this.#last;
		this.#parse(piece);
		if (this.#last === before) this.#bodyLeft = Math.max(0, this.#bodyLeft - piece.length);
		else {
			this.#emptyBytes = 0;
			this.#bodyLeft = Number(this.#last!.headers['content-length']) || 0;
			if (this.#isInChunks()) this.#chunks = new ChunkedBody();
		}
	}

	/** Calls it when somebody reads the body, or throws it away: until then its chunks would be kept one by one. */
	#whenRead(goOn: () => void): void {
		if (this.#last!.readableFlowing || this.#last!.readableLength === 0) goOn();
		else this.#last!.once('resume', goOn);
	}

	#hold(rest: Buffer): void {
		this.#isHeld = true;
		this.#socket.pause();
		this.#putBack(rest);
	}

	#putBack(rest: Buffer): void {
		this.#socket.unshift(rest.buffer === shelf.buffer ? Buffer.from(rest) : rest);
	}

	#release(): void {
		if (this.#socket.destroyed) return;
		this.#isHeld = false;
		this.#socket.resume();
	}
}

function onShelf(length: number): Buffer {
	if (length > LONGEST_KEPT) return shelf.subarray(0, length);
	beginnings[length] ??= shelf.subarray(0, length);
	return beginnings[length];
}

/** Bytes of the empty lines before a head, which mean nothing (RFC 9112 §2.2): each pair of them looks like the end of one. */
function emptyLinesIn(bytes: Buffer): number {
	let at = 0;
	while (bytes[at] === CR || bytes[at] === LF) at++;
	return at;
}

/**
 * Has a connection's bytes written to one and the same buffer, instead of a new one for each read: 3 µs of a request. Node
 * offers that to clients only (`onread` of `net.connect`). Where its inside is another one, they come as `data` as usual.
 */
function readTo(buffer: Buffer, socket: OwnSocket, take: (length: number) => void): void {
	const fields = Object.getOwnPropertySymbols(socket);
	const field = (name: string) => fields.find(({ description }) => description === name);
	const [target, callback] = [field('kBuffer'), field('kBufferCb')];
	if (!target || !callback || !socket._handle?.useUserBuffer) return;
	const takes = (length: number) => {
		take(length);
		return true;
	};
	Object.assign(socket, { [target]: buffer, [callback]: takes });
	socket._handle.useUserBuffer(buffer);
}
