import type { Connection } from 'mongoose';
import { eachCollection } from '../each-operation.ts';

/** Documents of one answer at most: no slot and date, page or sweep has as many. 16 MiB bound it as well */
const ALL = 100_000;

/**
 * Has each `find` answered at once: what one answer tells was so at one moment.
 *
 * A server answers a `find` in pieces, of which the first has 101 documents unless the client says otherwise. Between
 * two pieces the documents go on changing, and a changed one may come again in a later piece, or in none. A slot of 500
 * places with 480 bookings, each of which was just being told of, could then look full. It saves the second request, too.
 */
export function findInOneAnswer(connection: Connection): void {
	eachCollection(connection, (collection) => {
		const { find } = collection;
		collection.find = function (filter, options) {
			const { limit = 0 } = (options ?? {}) as { limit?: number };
			const batchSize = limit > 0 ? limit + 1 : ALL; // one more, or an old server keeps its cursor open
			return find?.call(this, filter, { batchSize, ...(options as object | undefined) });
		};
	});
}
