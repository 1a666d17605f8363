import { type History, isKind, type Operation, type OperationOf, ofKind } from '../history.ts';
import { type Chronicle, servicesOf, type Version } from './chronicle.ts';
import { contentOf, creationKey, creationKeyOf, explainsChange, isExpiry } from './explain.ts';
import type { Findings } from './violation.ts';

/**
 * Finds who may have made each version. The rule: no version without a request for it, and no request makes two. A
 * creation makes one booking, all those under one Idempotency-Key together make one.
 */
export function findMakers(history: History, chronicles: Map<number, Chronicle>, findings: Findings): void {
	const attempts = new CreationAttempts(history);
	for (const chronicle of chronicles.values()) attempts.assignAcknowledged(chronicle);
	for (const chronicle of chronicles.values()) attempts.assignOthers(chronicle, findings);
	const changes = changesByBooking(history.operations);
	const closings = Map.groupBy(ofKind(history.operations, 'delete service'), ({ asked }) => asked.service_id);
	for (const chronicle of chronicles.values()) {
		const own = changes.get(chronicle.id) ?? [];
		const closing = servicesOf(chronicle).flatMap((id) => closings.get(id) ?? []);
		assignChanges(
			chronicle,
			own,
			closing.filter(({ outcome }) => outcome !== 'fail'),
			findings,
		);
	}
}

/** Creations that together make one booking at most: those under one key, or a single one without a key. */
type Attempt = OperationOf<'create'>[];

class CreationAttempts {
	readonly #byBooking = new Map<number, Attempt>();
	/** Attempts that nobody saw succeed and that may have, by what they would make, and how many are accounted for */
	readonly #open = new Map<string, { attempts: Attempt[]; used: number }>();

	constructor({ operations }: History) {
		const creations = ofKind(operations, 'create');
		const attempts = Map.groupBy(creations, ({ op, asked }) => (asked.key === undefined ? op : `key ${asked.key}`));
		for (const attempt of attempts.values()) this.#add(attempt);
	}

	#add(attempt: Attempt): void {
		const acknowledged = attempt.filter(({ outcome }) => outcome === 'ok');
		for (const { answered } of acknowledged) this.#byBooking.set((answered!.data as { id: number }).id, attempt);
		if (acknowledged.length > 0) return;
		const mayHave = attempt.filter(({ outcome }) => outcome === 'unknown');
		if (mayHave.length === 0) return;
		const key = creationKeyOf(mayHave[0]!);
		const equal = this.#open.get(key) ?? { attempts: [], used: 0 };
		this.#open.set(key, equal);
		equal.attempts.push(mayHave);
	}

	assignAcknowledged({ id, versions }: Chronicle): void {
		const attempt = this.#byBooking.get(id);
		if (attempt) versions[0]!.makers = attempt.filter(({ outcome }) => outcome !== 'fail');
	}

	/** Equal attempts are interchangeable, so a booking may be any one's; each makes one. */
	assignOthers({ id, versions }: Chronicle, findings: Findings): void {
		const [first] = versions;
		if (first!.makers.length > 0 || first!.state === undefined) return;
		const equal = this.#open.get(creationKey(contentOf(first!.state)));
		if (equal === undefined || equal.used === equal.attempts.length) {
			findings.add(`booking ${id} was made, and nobody asked for it (once more)`);
		}
		if (equal === undefined) return;
		first!.makers = equal.attempts.flat();
		equal.used++;
	}
}

function changesByBooking(operations: Operation[]): Map<number, Operation[]> {
	const changes = operations.filter(
		(operation): operation is OperationOf<'update' | 'update customer' | 'delete'> =>
			operation.outcome !== 'fail' &&
			(isKind(operation, 'update') || isKind(operation, 'update customer') || isKind(operation, 'delete')),
	);
	return Map.groupBy(changes, ({ asked }) => asked.booking_id);
}

function assignChanges({ id, versions }: Chronicle, own: Operation[], closing: Operation[], findings: Findings): void {
	const answeredAt = Map.groupBy(own, versionAnswered);
	const open = new Set(own.filter(({ outcome }) => outcome === 'unknown'));
	const used = new Set<Operation>();
	for (const [index, version] of versions.entries()) {
		if (index === 0) continue;
		const sure = [
			...(answeredAt.get(version.number) ?? []),
			...own.filter((operation) => version.deleted && operation.outcome === 'ok' && isKind(operation, 'delete')),
		];
		const before = versions[index - 1]!;
		if (before.state && version.state && isExpiry(before.state, version.state)) continue;
		const explains = (operation: Operation) => explainsVersion(operation, before, version);
		const others = closing.filter(explains);
		version.makers = [...[...sure, ...open].filter(explains), ...others];
		if (others.length > 0 || sure.some(explains)) continue;
		const maker = version.makers.find((operation) => !used.has(operation));
		if (maker) used.add(maker);
		else findings.add(`booking ${id} changed to version ${version.number}, and nobody asked for it (once more)`);
	}
}

function versionAnswered({ outcome, asked, answered }: Operation): number | undefined {
	if (outcome !== 'ok' || asked.kind === 'delete') return undefined;
	return answered?.version ?? (answered?.data as { version?: number } | undefined)?.version;
}

/** Where a state is not known, which is a violation of its own, anything explains it. */
function explainsVersion(operation: Operation, before: Version, after: Version): boolean {
	const state = after.state ?? (after.deleted ? before.state : undefined);
	if (before.state === undefined || state === undefined) return true;
	return explainsChange(operation, before.state, state, after.deleted);
}
