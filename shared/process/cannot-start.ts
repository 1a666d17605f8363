/** A reason not to start that is the operator's to mend: printed as one sentence, without a stack. */
export class CannotStart extends Error {
	readonly exitCode: 1 | 78;

	/** @param exitCode 78 (EX_CONFIG of sysexits.h) where starting again cannot help */
	constructor(message: string, exitCode: 1 | 78 = 1) {
		super(message);
		this.exitCode = exitCode;
	}
}
