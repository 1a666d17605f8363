import { createHash } from 'node:crypto';
import { closeSync, fdatasync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { serveTasks } from '../forked.ts';

/**
 * What somebody would get who wrote only the creation of bookings: bare `node:http` and `node:sqlite`, with the guarantees
 * of the product. Seats, customers and idempotency keys are unique, all that waits shares one commit, and nobody is answered
 * before the disk has it. ANCHOR says how much it keeps: `booking` alone, or `everything` that the product does: its event,
 * the customers' directory, the month's counter, the index of the lists.
 */
const keepsEverything = process.env.ANCHOR === 'everything';
const PLACES = 10;
const ACCOUNT = 'acc_0123456789abcdefghij';

interface Wanted {
	date: string;
	time_slot_id: number;
	customer_name: string;
	customer_email: string;
}

const directory = mkdtempSync(join(tmpdir(), 'slotwise-anchor-'));
const file = join(directory, 'anchor.db');
const database = new DatabaseSync(file);
database.exec(`
	PRAGMA locking_mode = EXCLUSIVE;
	PRAGMA journal_mode = WAL;
	PRAGMA synchronous = NORMAL;
	PRAGMA cache_size = -65536;
	PRAGMA wal_autocheckpoint = 4000;
	CREATE TABLE bookings (id INTEGER PRIMARY KEY, seat_key TEXT UNIQUE, customer_key TEXT UNIQUE,
		idempotency_key TEXT UNIQUE, account TEXT, service INTEGER, date TEXT, answer TEXT NOT NULL);
`);
if (keepsEverything) {
	database.exec(`
		CREATE INDEX listed ON bookings (account, service, date);
		CREATE TABLE events (account TEXT, sequence INTEGER, type TEXT, data TEXT, PRIMARY KEY (account, sequence)) WITHOUT ROWID;
		CREATE TABLE customers (id INTEGER PRIMARY KEY, account TEXT, customer TEXT);
		CREATE TABLE months (account TEXT PRIMARY KEY, bookings INTEGER);
		INSERT INTO months VALUES ('${ACCOUNT}', 0);
	`);
}
const log = openSync(`${file}-wal`, 'r+');
const [begin, commit] = [database.prepare('BEGIN IMMEDIATE'), database.prepare('COMMIT')];
const seats = arraysOf('SELECT seat_key FROM bookings WHERE seat_key >= ? AND seat_key < ?');
const insert = database.prepare('INSERT INTO bookings VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
const more = keepsEverything
	? {
			event: database.prepare('INSERT INTO events VALUES (?, ?, ?, ?)'),
			customer: database.prepare('INSERT INTO customers VALUES (?, ?, ?)'),
			month: database.prepare('UPDATE months SET bookings = bookings + ? WHERE account = ?'),
		}
	: undefined;

let last = 0;
let waiting: { wanted: Wanted; response: ServerResponse }[] = [];
let serving = false;

/** @returns the answer; undefined where the slot is full */
function book({ date, time_slot_id, customer_name, customer_email }: Wanted): string | undefined {
	const place = `${time_slot_id}:${date}`;
	const taken = new Set(
		rows(seats, `${place}:`, `${place};`).map(([key]) => Number(String(key).slice(place.length + 1))),
	);
	let seat = 0;
	while (taken.has(seat)) seat++;
	if (seat >= PLACES) return undefined;
	const id = ++last;
	const at = new Date().toISOString();
	const customer = { id, name: customer_name, email: customer_email, phone: null, created_at: at, updated_at: at };
	const answer = JSON.stringify({
		...{ id, service_id: 1, date, time_slot_id, status: 'pending', message: null, customer, customer_id: id },
		...{ starts_at: `${date}T09:00:00+01:00`, ends_at: `${date}T10:00:00+01:00`, timezone: 'Europe/Berlin' },
		...{ time_slot: slotOf(time_slot_id), user_id: ACCOUNT, version: 1, created_at: at, updated_at: at },
	});
	const hash = createHash('sha256').update(customer_email).digest('base64url').slice(0, 32);
	insert.run(id, `${place}:${seat}`, `${place}:e:${hash}`, null, ACCOUNT, 1, date, answer);
	more?.event.run(ACCOUNT, id, 'booking.created', answer);
	more?.customer.run(id, ACCOUNT, JSON.stringify(customer));
	return answer;
}

function slotOf(id: number): object {
	const at = '2026-11-01T08:00:00.000Z';
	const [start_time, end_time] = ['2026-01-05 09:00:00', '2026-01-05 10:00:00'];
	return {
		id,
		service_id: 1,
		day_of_week: 1,
		start_time,
		end_time,
		max_bookings: PLACES,
		created_at: at,
		updated_at: at,
	};
}

/** What came while the disk was busy is the next commit. */
async function serve(): Promise<void> {
	while (waiting.length > 0) {
		await new Promise((resolve) => setImmediate(resolve));
		const group = waiting;
		waiting = [];
		begin.run();
		const answers = group.map(({ wanted }) => book(wanted));
		more?.month.run(group.length, ACCOUNT);
		commit.run();
		await new Promise<void>((resolve, reject) => fdatasync(log, (error) => (error ? reject(error) : resolve())));
		for (const [index, { response }] of group.entries()) send(response, answers[index]);
	}
	serving = false;
}

function send(response: ServerResponse, answer: string | undefined): void {
	const body = answer === undefined ? '{"error":"time slot is full"}' : `{"data":${answer}}`;
	const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
	response.writeHead(answer === undefined ? 400 : 201, headers).end(body);
}

function receive(request: IncomingMessage, response: ServerResponse): void {
	let body = '';
	request.setEncoding('utf8');
	request.on('data', (chunk: string) => {
		body += chunk;
	});
	request.on('end', () => {
		waiting.push({ wanted: JSON.parse(body) as Wanted, response });
		if (serving) return;
		serving = true;
		void serve();
	});
}

function arraysOf(sql: string): StatementSync {
	const statement = database.prepare(sql);
	statement.setReturnArrays(true);
	return statement;
}

function rows(statement: StatementSync, ...values: SQLInputValue[]): unknown[][] {
	return statement.all(...values) as unknown as unknown[][];
}

process.once('exit', () => {
	closeSync(log);
	database.close();
	rmSync(directory, { recursive: true, force: true });
});
const server = createServer(receive);
server.listen(0, '127.0.0.1', () => {
	serveTasks(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () => undefined);
});
