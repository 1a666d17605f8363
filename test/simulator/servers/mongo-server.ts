import { setTimeout as delay } from 'node:timers/promises';
import { type Document, type JsonObject, valueAt } from '../../../shared/store/embedded/query/json-value.ts';
import { projector } from '../../../shared/store/embedded/query/options.ts';
import type { Network, SimSocket } from '../world/network.ts';
import type { SimProcess } from '../world/sim-process.ts';
import { Collection, DuplicateKey, type Index } from './mongo-collection.ts';
import { MessageReader, type Request, reply } from './mongo-wire.ts';

export const MONGO_PORT = 27_017;

/** What becomes of one command, beside what it asks for. */
export interface Fate {
	/** The connection ends before anything is done */
	lostBefore?: boolean;
	/** The connection ends when all is done, before the answer */
	lostAfter?: boolean;
	/** ms by which it is carried out later, though its connection may have ended by then */
	late?: number;
	/** The connection ends at once, and it is carried out nevertheless */
	lostMeanwhile?: boolean;
	/** ms that pass between what it does and its answer, or the end of the connection */
	toldLate?: number;
	/** It met another one, nothing was done, and it may be tried again */
	deadlock?: boolean;
}

export interface StoreFaults {
	fate(client: string, command: string, collection: string, isWrite: boolean): Fate;
}

type Command = JsonObject & { documents?: Document[]; updates?: JsonObject[]; deletes?: JsonObject[] };
type Answer = Record<string, unknown>;

const WRITES = new Set(['insert', 'update', 'delete', 'findAndModify']);

/** Commands of which it is kept what they asked about */
const LATELY = 200;

/** MongoDB's codes */
const NOT_PRIMARY = 10_107;
/** A MongoDB-compatible server's, over PostgreSQL */
const DEADLOCK = 16_908_292;

class Refused extends Error {
	readonly code: number;
	constructor(code: number, message: string) {
		super(message);
		this.code = code;
	}
}

/** MongoDB as far as the product uses it: one primary; each document's change is atomic, a command of many is not. */
export class MongoServer {
	readonly collections = new Map<string, Collection>();
	readonly #network: Network;
	readonly #process: SimProcess;
	readonly #faults: StoreFaults;
	commands = 0;
	/** When each message of a booking left its process for the last time, to be written, in ms of the world */
	readonly written = new Map<string, number>();
	/** When each event came into the log, by its id, in ms of the world */
	readonly logged = new Map<string, number>();
	/** The newest of the commands that read or write: who asked about what */
	readonly lately: { client: string; collection: string; isWrite: boolean }[] = [];
	/** Told of who asked about what, when it has just been carried out; the process does not know yet */
	readonly onDone = new Set<(client: string, collection: string, isWrite: boolean) => void>();
	/** Commands that are carried out late, and have not been */
	underWay = 0;
	#connections = 0;
	#isElecting = false;

	constructor(network: Network, process: SimProcess, faults: StoreFaults) {
		this.#network = network;
		this.#process = process;
		this.#faults = faults;
	}

	start(): void {
		this.#network.listen(this.#process, MONGO_PORT, (socket) => this.#serve(socket));
	}

	/**
	 * The primary has stepped down: its connections end, and for so many ms nobody is primary. What was acknowledged is
	 * there afterwards, for it was with a majority; of what was under way, that which was carried out.
	 */
	failOver(ms: number): void {
		this.#isElecting = true;
		this.#network.resetAll(this.#process.name);
		this.#network.agenda.at(this.#network.agenda.now + ms, () => {
			this.#isElecting = false;
		});
	}

	collection(name: string): Collection {
		let collection = this.collections.get(name);
		if (collection === undefined) {
			collection = new Collection(name);
			this.collections.set(name, collection);
		}
		return collection;
	}

	#serve(socket: SimSocket): void {
		const connection = ++this.#connections;
		const reader = new MessageReader();
		const client = socket.peer?.owner.name ?? '';
		socket.on('error', () => {});
		socket.on('data', (chunk: Buffer) => {
			for (const request of reader.read(chunk)) {
				this.#noteWritten(request.body as Command, socket.sentAt);
				void this.#carryOut(socket, client, connection, request);
			}
		});
	}

	#noteWritten({ insert, update, findAndModify, documents, updates, update: change }: Command, sent: number): void {
		if (![insert, update, findAndModify].includes('bookings')) return;
		const changes = [...(updates ?? []).map(({ u }) => u), change] as { $set?: Document }[];
		for (const fields of [...(documents ?? []), ...changes.map((each) => each?.$set)]) {
			if (typeof fields?.message === 'string') this.written.set(fields.message, sent);
		}
	}

	#noteAsked(client: string, collection: string, isWrite: boolean): void {
		this.lately.push({ client, collection, isWrite });
		if (this.lately.length > LATELY) this.lately.shift();
	}

	async #carryOut(socket: SimSocket, client: string, connection: number, request: Request): Promise<void> {
		const command = request.body as Command;
		const [name = ''] = Object.keys(command);
		const isWrite = WRITES.has(name);
		const isTold = isWrite || name === 'find' || name === 'aggregate';
		const fate = isTold ? this.#faults.fate(client, name, command[name] as string, isWrite) : {};
		this.commands++;
		if (isTold) this.#noteAsked(client, command[name] as string, isWrite);
		await delay(0.1 + this.#process.random.exponential(isWrite ? 0.8 : 0.2));
		if (fate.lostBefore) return void socket.destroy();
		if (fate.lostMeanwhile) socket.destroy();
		if (fate.late) await this.#later(fate.late);
		let answer: Answer;
		try {
			if (isTold && this.#isElecting) throw new Refused(NOT_PRIMARY, 'not primary');
			if (fate.deadlock) throw new Refused(DEADLOCK, 'deadlock detected');
			answer = { ...(await this.#act(name, command, connection)), ok: 1 };
		} catch (error) {
			const { message, code = 1 } = error as Error & { code?: number };
			answer = { ok: 0, errmsg: message, code, codeName: 'Refused' };
		}
		if (isTold) for (const tell of [...this.onDone]) tell(client, command[name] as string, isWrite);
		if (fate.toldLate) await delay(fate.toldLate);
		if (fate.lostAfter) return void socket.destroy();
		if (!socket.destroyed) socket.write(reply(request, answer));
	}

	async #later(ms: number): Promise<void> {
		this.underWay++;
		await delay(ms);
		this.underWay--;
	}

	async #act(name: string, command: Command, connection: number): Promise<Answer> {
		const collection = () => this.collection(command[name] as string);
		switch (name) {
			case 'hello':
			case 'ismaster':
			case 'isMaster':
				return { ...HELLO, ...this.#role(), helloOk: true, connectionId: connection };
			case 'ping':
			case 'endSessions':
			case 'killCursors':
				return {};
			case 'create':
				collection();
				return {};
			case 'createIndexes':
				for (const index of command.indexes as unknown as Index[]) collection().createIndex(index);
				return {};
			case 'dropIndexes':
				return this.#dropIndex(command);
			case 'listIndexes':
				return { cursor: { id: 0n, ns: `db.${collection().name}`, firstBatch: collection().indexes } };
			case 'find':
				return found(collection(), command);
			case 'aggregate':
				return aggregated(collection(), command);
			case 'insert':
				return this.#insert(collection(), command);
			case 'update':
				return this.#update(collection(), command);
			case 'delete':
				return this.#delete(collection(), command);
			case 'findAndModify':
				return findAndModify(collection(), command);
			default:
				throw new Refused(59, `no such command: '${name}'`);
		}
	}

	#role(): Answer {
		return { ismaster: !this.#isElecting, isWritablePrimary: !this.#isElecting };
	}

	#dropIndex({ dropIndexes: name, index }: Command): Answer {
		const collection = this.collections.get(name as string);
		if (collection === undefined) throw new Refused(26, `ns not found db.${name}`);
		if (!collection.dropIndex(index as string)) throw new Refused(27, `index not found with name [${index}]`);
		return {};
	}

	/** Between two documents of a command others may come. */
	async #between(index: number): Promise<void> {
		if (index > 0 && this.#process.random.chance(0.1)) await delay(this.#process.random.exponential(1));
	}

	async #insert(collection: Collection, { documents = [], ordered = true }: Command): Promise<Answer> {
		const writeErrors: Answer[] = [];
		let n = 0;
		for (const [index, document] of documents.entries()) {
			await this.#between(index);
			try {
				collection.insert(document);
				if (collection.name === 'events') this.logged.set(document._id as string, this.#network.agenda.now);
				n++;
			} catch (error) {
				writeErrors.push(writeError(index, error));
				if (ordered) break;
			}
		}
		return { n, ...(writeErrors.length > 0 ? { writeErrors } : {}) };
	}

	async #update(collection: Collection, { updates = [] }: Command): Promise<Answer> {
		const answer = { n: 0, nModified: 0 };
		for (const [index, each] of updates.entries()) {
			const filter = each.q as JsonObject;
			const found = collection.find(filter).slice(0, each.multi ? undefined : 1);
			try {
				for (const [position, document] of found.entries()) {
					await this.#between(position);
					const current = collection.current(document);
					if (current === undefined || !collection.matches(current, filter)) continue;
					answer.n++;
					if (collection.update(current, each.u as JsonObject) !== current) answer.nModified++;
				}
			} catch (error) {
				return { ...answer, writeErrors: [writeError(index, error)] };
			}
		}
		return answer;
	}

	async #delete(collection: Collection, { deletes = [] }: Command): Promise<Answer> {
		let n = 0;
		for (const { q, limit } of deletes) {
			const found = collection.find(q as JsonObject).slice(0, limit === 1 ? 1 : undefined);
			for (const [position, document] of found.entries()) {
				await this.#between(position);
				const current = collection.current(document);
				if (current === undefined || !collection.matches(current, q as JsonObject)) continue;
				collection.delete(current);
				n++;
			}
		}
		return { n };
	}
}

const HELLO = {
	maxBsonObjectSize: 16_777_216,
	maxMessageSizeBytes: 48_000_000,
	maxWriteBatchSize: 100_000,
	logicalSessionTimeoutMinutes: 30,
	minWireVersion: 0,
	maxWireVersion: 21,
	readOnly: false,
};

function found(collection: Collection, command: Command): Answer {
	const { filter = {}, sort, skip = 0, limit = 0, projection } = command as unknown as Record<string, never>;
	const all = collection.find(filter, sort).slice(skip, limit > 0 ? skip + limit : undefined);
	return { cursor: { id: 0n, ns: `db.${collection.name}`, firstBatch: all.map(projector(projection)) } };
}

/** `$match`, `$skip`, `$limit` and a `$group` that counts. */
function aggregated(collection: Collection, command: Command): Answer {
	let documents: Document[] | undefined;
	for (const stage of command.pipeline as JsonObject[]) {
		const [[name, value]] = Object.entries(stage) as [[string, never]];
		if (name === '$match') documents = collection.find(value);
		documents ??= collection.find({});
		if (name === '$skip') documents = documents.slice(value);
		if (name === '$limit') documents = documents.slice(0, value);
		if (name === '$group') documents = grouped(documents, value);
		if (!['$match', '$skip', '$limit', '$group'].includes(name)) throw new Refused(40_324, `no stage ${name}`);
	}
	return { cursor: { id: 0n, ns: `db.${collection.name}`, firstBatch: documents ?? collection.find({}) } };
}

function grouped(documents: Document[], { _id: by, ...sums }: JsonObject): Document[] {
	const groups = new Map<unknown, Document>();
	for (const document of documents) {
		const key = typeof by === 'string' && by.startsWith('$') ? (valueAt(document, by.slice(1)) ?? null) : by;
		const group = groups.get(key) ?? { _id: key ?? null };
		groups.set(key, group);
		for (const [name, sum] of Object.entries(sums)) {
			group[name] = ((group[name] as number | undefined) ?? 0) + Number((sum as JsonObject).$sum);
		}
	}
	return [...groups.values()];
}

function findAndModify(collection: Collection, command: Command): Answer {
	const { query = {}, sort, update, remove, fields } = command as unknown as Record<string, never>;
	const [document] = collection.find(query, sort);
	if (document === undefined) return { value: null, lastErrorObject: { n: 0, updatedExisting: false } };
	if (remove) {
		collection.delete(document);
		return { value: document, lastErrorObject: { n: 1 } };
	}
	const changed = collection.update(document, update ?? {});
	const value = projector(fields)(command.new ? changed : document);
	return { value, lastErrorObject: { n: 1, updatedExisting: true } };
}

function writeError(index: number, error: unknown): Answer {
	const { message, code = 1 } = error as Error & { code?: number };
	const pattern = error instanceof DuplicateKey ? { keyPattern: error.keyPattern, keyValue: {} } : {};
	return { index, code, errmsg: message, ...pattern };
}
