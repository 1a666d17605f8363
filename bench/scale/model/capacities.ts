/**
 * What one of each bears. Utilisation is told against these; a component counts as at its limit at 100 %, which for
 * processors is `TARGET` of what they have, for waits beyond that grow without bound.
 */
export const TARGET = 0.7;

export const CAPACITIES = {
	/** ms of processor a second: Node runs our code on one core */
	process: 1_000 * TARGET,
	/** Cores of a NATS server: it is multi-threaded */
	natsCores: 8,
	/** Redis runs commands and scripts on one thread */
	redisCores: 1,
	databaseCores: 16,
	/** Bytes that a primary keeps; months for which bookings and their customers are kept */
	disk: 4e12,
	months: 12,
	/** s that a request may wait for a number of the counter, or for its turn at the month's row */
	counterWait: 0.1,
	/** Bookings of one batch (services/booking/seats/seat-queue.ts), events of one (append-events.ts) */
	placeBatch: 250,
	eventBatch: 500,
	/** Attempts of one webhook at once (webhooks/queue/slots.ts) */
	webhookWindow: 8,
	/** Keys that a gateway remembers, and for how many seconds where nothing is changed (gateway/authentication/authenticate.ts) */
	knownKeys: 10_000,
	keyTtl: 60,
	/** Heartbeats of a process a second, to every other one (moleculer.config.ts) */
	heartbeats: 1,
} as const;
