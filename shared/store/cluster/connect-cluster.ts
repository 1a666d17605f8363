import { type Connection, Mongoose } from 'mongoose';
import { inTime } from '../../work/time-limit.ts';
import { eachCollection } from '../each-operation.ts';
import type { Store } from '../store.ts';
import { StoreUnavailable } from '../write-errors.ts';
import { endUnwantedReads, failWritesOnClose, refuseLateWrites } from './driver-patches.ts';
import { weighReads, weighWrites } from './weigh-work.ts';

/**
 * Deadlines in ms. No operation hangs over their sum, 8 s: it waits for a connection of the pool, for a primary, then for
 * the answer. Neither reads nor writes are retried by the driver: a retried write hides whether the first one happened,
 * and a retried read doubles the time.
 */
const deadlines = (patience: number) => ({
	waitQueueTimeoutMS: 2_000 * patience,
	serverSelectionTimeoutMS: 2_000 * patience,
	connectTimeoutMS: 2_000 * patience,
	socketTimeoutMS: 4_000 * patience,
	heartbeatFrequencyMS: 2_000,
});

/**
 * Connects to MongoDB. An acknowledged write is in the journal of a majority; a read sees only such writes.
 * @param patience how many times as long as usual it may take
 */
export async function connectCluster(mongoUrl: string, namespace: string, patience = 1): Promise<Store> {
	failWritesOnClose();
	const mongoose = new Mongoose({ autoIndex: false, autoCreate: false, bufferCommands: false });
	const connection = mongoose.createConnection();
	findInOneAnswer(connection);
	refuseLateWrites(connection);
	endUnwantedReads();
	weighReads(connection);
	weighWrites(connection);
	const opening = connection.openUri(mongoUrl, {
		...deadlines(patience),
		...(namesDatabase(mongoUrl) ? {} : { dbName: namespace }),
		autoIndex: false,
		autoCreate: false,
		bufferCommands: false,
		maxPoolSize: 50,
		minPoolSize: 5,
		maxConnecting: 10, // the driver's 2 lets a burst on a cold pool time out in its queue
		retryReads: false,
		retryWrites: false,
		readPreference: 'primary',
		readConcern: { level: 'majority' },
		writeConcern: { w: 'majority', journal: true },
	});
	await opening.catch(async (error: unknown) => {
		await connection.close(true); // or it would go on looking for the server
		throw error;
	});
	return {
		form: 'cluster',
		connection,
		durable: () => undefined,
		leaveNoTraces: async () => {},
		async ping() {
			if (connection.db === undefined) throw new StoreUnavailable('the connection to MongoDB is closed');
			await inTime(connection.db.admin().ping(), PING_WITHIN, noAnswer);
		},
		close: () => connection.close(),
	};
}

/** ms; a probe must not wait for the deadlines of a request. */
const PING_WITHIN = 2_500;

function noAnswer(): StoreUnavailable {
	return new StoreUnavailable(`MongoDB did not answer within ${PING_WITHIN} ms`);
}

/** A connection string lists several hosts, so it is no URL that the platform's parser would take. */
function namesDatabase(mongoUrl: string): boolean {
	return /^mongodb(\+srv)?:\/\/[^/?]+\/[^?]/.test(mongoUrl);
}

/** Documents of one answer at most: no slot and date, page or sweep has as many. 16 MiB bound it as well */
const ALL = 100_000;

/**
 * Has each `find` answered at once: what one answer tells was so at one moment.
 *
 * A server answers a `find` in pieces, of which the first has 101 documents unless the client says otherwise. Between
 * two pieces the documents go on changing, and a changed one may come again in a later piece, or in none. A slot of 500
 * places with 480 bookings, each of which was just being told of, could then look full. It saves the second request, too.
 */
function findInOneAnswer(connection: Connection): void {
	eachCollection(connection, (collection) => {
		const { find } = collection;
		collection.find = function (filter, options) {
			const { limit = 0 } = (options ?? {}) as { limit?: number };
			const batchSize = limit > 0 ? limit + 1 : ALL; // one more, or an old server keeps its cursor open
			return find?.call(this, filter, { batchSize, ...(options as object | undefined) });
		};
	});
}
