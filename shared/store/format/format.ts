import type { Connection } from 'mongoose';
import type { Logger } from '../../log/log.ts';
import { whenAvailable } from '../prepare-models.ts';
import { isDuplicateKey } from '../write-errors.ts';
import { STEPS, type Step } from './steps.ts';

/** ms that a step waits for a database which is away */
const PATIENCE = 60_000;

/** The store was written by a later release, in a way that this one must not write. */
export class StoreTooNew extends Error {
	override readonly name = 'StoreTooNew';
}

/** What a store is written in; no document means 1, the format of 0.1. */
interface Format {
	_id: 'format';
	version: number;
	/** The oldest version that a process may have which writes here: during a rollout old ones go on beside new ones */
	writable_from: number;
}

/**
 * Brings what an earlier release stored forward to this one's format, step by step. Each step can be done again, by several
 * processes at once, too; so one that was killed, or lost its database, is just done again. To be awaited before any service
 * starts.
 *
 * @throws StoreTooNew where this release must not write
 */
export async function bringForward(
	connection: Connection,
	logger: Pick<Logger, 'info'>,
	steps: readonly Step[] = STEPS,
): Promise<void> {
	const own = newest(steps);
	let isNew: boolean | undefined;
	// Read anew after each step: a later release may have been brought forward beside this one.
	for (;;) {
		const format = await whenAvailable(() => formatOf(connection), PATIENCE);
		assertWritable(format, own);
		const { version } = format;
		const step = steps.find(({ to }) => to > version);
		if (step === undefined) return;
		isNew ??= await whenAvailable(() => isEmpty(connection), PATIENCE);
		if (!isNew) logger.info({ to: step.to, what: step.what }, 'bringing the stored data forward');
		await whenAvailable(() => step.run(connection), PATIENCE);
		await whenAvailable(() => note(connection, step), PATIENCE);
	}
}

/** @throws StoreTooNew where this release must not write what is stored in that format */
export function assertWritable(
	{ version, writable_from }: Pick<Format, 'version' | 'writable_from'>,
	own = ownFormat,
): void {
	if (writable_from <= own) return;
	throw new StoreTooNew(
		`The store is in format ${version}, which a release before its own must not write (this one has ${own}): start the newer release.`,
	);
}

/** Whether nobody has used it yet: each step is done all the same, but there is nothing to tell of it. */
async function isEmpty(connection: Connection): Promise<boolean> {
	return (await connection.collection('accounts').findOne({})) === null;
}

function newest(steps: readonly Step[]): number {
	return Math.max(1, ...steps.map(({ to }) => to));
}

/** Of this release. */
export const ownFormat = newest(STEPS);

/** What a store is written in. */
export async function formatOf(connection: Connection): Promise<Pick<Format, 'version' | 'writable_from'>> {
	const found = await connection.collection<Format>('store_format').findOne({ _id: 'format' });
	const { version, writable_from } = found ?? { version: 1, writable_from: 1 };
	return { version, writable_from };
}

/** Has a store that was just filled say what it is written in. */
export async function sayFormat(
	connection: Connection,
	format: Pick<Format, 'version' | 'writable_from'>,
): Promise<void> {
	const formats = connection.collection<Format>('store_format');
	await formats.deleteOne({ _id: 'format' });
	await formats.insertOne({ _id: 'format', ...format });
}

/** Never back: another process may be further on. */
async function note(connection: Connection, { to: version, writable_from }: Step): Promise<void> {
	const formats = connection.collection<Format>('store_format');
	try {
		await formats.insertOne({ _id: 'format', version, writable_from });
	} catch (error) {
		if (!isDuplicateKey(error)) throw error;
		await formats.updateOne({ _id: 'format', version: { $lt: version } }, { $set: { version, writable_from } });
	}
}
