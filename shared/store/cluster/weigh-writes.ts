import type { Connection } from 'mongoose';
import { Reading } from '../../work/reading.ts';
import { eachWrite } from '../each-operation.ts';

/** What the driver's methods answer, each some of it */
interface Written {
	insertedCount?: number;
	matchedCount?: number;
	deletedCount?: number;
}

/** Tells each request what it wrote. A document that was looked for and not found is one, too. */
export function weighWrites(connection: Connection): void {
	eachWrite<Written | null>(connection, (written) => {
		const writing = Reading.writing();
		if (writing === undefined) return written;
		return written.then((result) => {
			writing.wrote(documents(result));
			return result;
		});
	});
}

function documents(result: Written | null): number {
	return Math.max(result?.insertedCount ?? result?.matchedCount ?? result?.deletedCount ?? 1, 1);
}
