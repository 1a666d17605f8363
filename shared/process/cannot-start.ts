/** A reason not to start that is the operator's to mend: printed as one sentence, without a stack. */
export class CannotStart extends Error {}
