import type { History } from '../history.ts';
import type { Chronicle, Version } from './chronicle.ts';
import type { Findings } from './violation.ts';

/**
 * Narrows down when each version was made. A version is not older than the request for it, nor than its predecessor, nor
 * than any look that began before and still showed an older version. It was there when somebody saw it or a later one,
 * and when its deletion was acknowledged.
 *
 * The rule: this leaves a moment. Where it does not, somebody saw an older version than what was acknowledged before.
 */
export function narrowIntervals({ final }: History, chronicles: Map<number, Chronicle>, findings: Findings): void {
	for (const { id, versions, deletions } of chronicles.values()) {
		let earliest = Number.NEGATIVE_INFINITY;
		for (const version of versions) {
			version.from = Math.max(earliest, firstRequest(version));
			earliest = version.from;
			for (const { old, from } of version.seen) if (!old) earliest = Math.max(earliest, from);
		}
		let latest = final.until;
		for (const version of versions.toReversed()) {
			for (const { to } of version.seen) latest = Math.min(latest, to);
			if (version.deleted) for (const { to } of deletions) latest = Math.min(latest, to);
			version.to = latest;
			if (version.from <= version.to) continue;
			findings.add(
				`booking ${id}: version ${version.number} was there before ${at(version.to)}, not yet at ${at(version.from)}`,
			);
		}
	}
}

function firstRequest({ makers }: Version): number {
	return makers.reduce((earliest, { from }) => Math.min(earliest, from), makers.length > 0 ? Infinity : -Infinity);
}

function at(ms: number): string {
	return `${ms.toFixed(2)} ms`;
}
