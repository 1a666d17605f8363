/**
 * The store cannot take the operation now: the disk is full or fails, or the store is closed. Nothing of the operation that
 * failed was written. The caller answers 503.
 */
export class StoreUnavailable extends Error {
	override readonly name = 'StoreUnavailable';
}

/** The same, of a write of more than 100 documents whose first part is committed. */
export class WrittenInPart extends Error {
	override readonly name = 'WrittenInPart';
}
