import { ApiError } from '../contract/errors.ts';
import { type Deadline, inContext, type Payer, workContext } from './deadline.ts';

/** Units of work of a document that is inserted, changed or removed: beside its text its indexes change */
const WRITTEN = 5;

/**
 * What a request that writes has cost until now, in the units of `Reading`. It is counted, but never stopped: what writes
 * goes on to a step from which others can take over. What it writes in one batch with other requests is nobody's.
 */
export class Writing {
	#units = 0;

	get units(): number {
		return this.#units;
	}

	add(units: number): void {
		this.#units += units;
	}

	/** @param documents that were inserted, changed or removed */
	wrote(documents: number): void {
		this.#units += documents * WRITTEN;
	}
}

function nothing(): void {}

/**
 * A read that a request asked for: whose it is, for how long somebody waits for it, and how much work it was. It goes with
 * the code that reads, through every layer down to the store, and over the bus with each call.
 *
 * Work is counted in units: a document that was read, or a row that was computed, is one. Only reads are stopped when
 * nobody waits any more. What writes goes on to a step from which others can take over, and has deadlines of its own.
 */
export class Reading {
	/** Undefined where it serves several accounts */
	readonly account: string | undefined;
	readonly #deadline: Pick<Deadline, 'remaining'>;
	/** Is called when it turns out to be long work; may be called again. */
	becomesLong: () => void = nothing;
	/** ms of the present slice that its parts have had, one after the other: see `Slices` */
	hadOfSlice = 0;
	#onEnd: (() => void)[] | undefined;
	#units = 0;
	#ended = false;

	constructor(account: string | undefined, deadline: Pick<Deadline, 'remaining'>) {
		this.account = account;
		this.#deadline = deadline;
	}

	/** The read that the running code belongs to */
	static current(): Reading | undefined {
		const { payer } = workContext();
		return payer instanceof Reading ? payer : undefined;
	}

	/** The writing request that the running code belongs to */
	static writing(): Writing | undefined {
		const { payer } = workContext();
		return payer instanceof Writing ? payer : undefined;
	}

	/** What pays for what the running code does */
	static payer(): Payer | undefined {
		return workContext().payer;
	}

	/** Runs what belongs to a request that writes. */
	static runWriting<T>(writing: Writing, work: () => T): T {
		return paidBy(writing, work);
	}

	/** Runs what belongs to this read. */
	run<T>(work: () => T): T {
		return paidBy(this, work);
	}

	/** Runs what belongs to no read, such as an answer that is kept for others. */
	static outside<T>(work: () => T): T {
		return workContext().payer === undefined ? work() : paidBy(undefined, work);
	}

	get units(): number {
		return this.#units;
	}

	add(units: number): void {
		this.#units += units;
	}

	/** ms for which somebody waits, ≤ 0 where nobody does */
	remaining(): number {
		return this.#ended ? 0 : this.#deadline.remaining();
	}

	/** Nobody waits any more: the client has gone, or has its answer. */
	end(): void {
		if (this.#ended) return;
		this.#ended = true;
		const onEnd = this.#onEnd;
		this.#onEnd = undefined;
		if (onEnd !== undefined) for (const tell of onEnd) tell();
	}

	/** @param tell is called at the end, once; not at the deadline */
	onEnd(tell: () => void): void {
		if (this.#ended) tell();
		else if (this.#onEnd === undefined) this.#onEnd = [tell];
		else this.#onEnd.push(tell);
	}

	/** @throws gateway_timeout where nobody waits any more */
	assertWanted(): void {
		if (this.remaining() <= 0) throw new ApiError('gateway_timeout');
	}
}

function paidBy<T>(payer: Payer | undefined, work: () => T): T {
	return inContext({ ...workContext(), payer }, work);
}

/** Of code that is no request's, or that writes: it is not stopped, and pays nothing. */
const always = {
	account: undefined,
	remaining: () => Number.POSITIVE_INFINITY,
	add() {},
	onEnd() {},
	becomesLong: nothing,
};
type Member = Pick<Reading, 'account' | 'remaining' | 'add' | 'onEnd' | 'becomesLong'>;

/** One read for several: it goes on while one of them waits, and its work is each one's, for each asked for it. */
export class SharedReading extends Reading {
	readonly #members: Member[] = [];
	#isOver = false;
	/** With the last of them it ends. */
	readonly #onMemberEnd = (): void => {
		if (this.#members.every((member) => member.remaining() <= 0)) this.end();
	};

	/** @param members the read of each that waits; undefined for one that is not to be stopped */
	constructor(members: readonly (Reading | undefined)[]) {
		const account = members[0]?.account;
		const waiting: Member[] = [];
		super(members.every((member) => member?.account === account) ? account : undefined, {
			remaining: () => waiting.reduce((most, member) => Math.max(most, member.remaining()), 0),
		});
		this.#members = waiting;
		this.becomesLong = () => {
			for (const member of waiting) member.becomesLong();
		};
		for (const member of members) this.join(member);
	}

	/** Somebody more waits for it: what was read until now is his work, too. */
	join(reading: Reading | undefined): void {
		const member: Member = reading ?? always;
		member.add(this.units);
		if (this.#isOver) return;
		this.#members.push(member);
		member.onEnd(this.#onMemberEnd);
	}

	override add(units: number): void {
		super.add(units);
		for (const member of this.#members) member.add(units);
	}

	/** Runs what is the whole of this read. */
	runWhole<T>(work: () => Promise<T>): Promise<T> {
		return this.run(work).finally(() => this.#letGo());
	}

	/**
	 * What a dead object of the old generation refers to survives collections of the young one: through reads that know their
	 * requests, which know their next reads, each request would.
	 */
	#letGo(): void {
		this.#isOver = true;
		this.#members.length = 0;
		this.becomesLong = nothing;
	}

	/**
	 * Runs what several wait for. Where one of them writes, or is nobody's request, it is a part of no read: nothing stops it.
	 * @param members the read of each that waits
	 */
	static runFor<T>(members: readonly (Reading | undefined)[], work: () => Promise<T>): Promise<T> {
		const [first] = members;
		if (members.length === 1 && first === Reading.current()) return work();
		if (members.includes(undefined)) return Reading.outside(work);
		return new SharedReading(members).runWhole(work);
	}
}
