import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { BookingEvent } from '../../shared/contract/schemas/event.ts';
import type { AskedChange, Client } from '../support/http-client.ts';
import { Recorder } from './recorder.ts';
import { partedByErasure } from './workload/erased.ts';
import { RecordedApi } from './workload/recorded-api.ts';
import { settled } from './workload/settle.ts';

/**
 * The oracle of fault tests: acknowledged means there, refused means that nothing happened and nothing will (X2). Each
 * version of a booking, service or webhook was made by a change that was acknowledged, or by one whose outcome nobody was
 * told; of the latter each makes one at most. It judges all that was asked with the client's key, once everything runs
 * again and every request was answered.
 * @param patience ms after which the account is judged as it is
 */
export async function expectOutcomes(client: Client, patience?: number): Promise<void> {
	const changes = new Changes(client.asked);
	const api = new RecordedApi('', client, new Recorder());
	const { bookings, events: all } = await settled(api, () => performance.now(), patience);
	const { told: events, erased } = partedByErasure(all);
	const told = Map.groupBy(events, ({ data }) => data.id);
	// What an erased booking was is told nowhere any more: only that it was there.
	const stories = new Map([...told].filter(([id]) => !erased.has(id)));
	expect([
		...newcomers('booking', [...told.keys()], changes),
		...[...stories].flatMap(([id, story]) => judgeBooking(id, story, changes)),
		...judgeAcknowledged(events, changes),
		...judgeTexts([...stories.values()], changes),
		...judgeLatest(
			bookings.filter(({ id }) => !erased.has(id)),
			stories,
		),
		...(await judgeListed(client, 'service', changes)),
		...(await judgeListed(client, 'webhook', changes)),
	]).toEqual([]);
}

type Thing = 'booking' | 'service' | 'webhook';

interface Acknowledged {
	id: number;
	version: number;
	/** As it was answered; undefined where the answer is another thing */
	data: unknown;
}

/** What was asked of one account, by what it was to change. */
class Changes {
	readonly #asked: readonly (AskedChange & { isUnknown: boolean })[];

	constructor(asked: readonly AskedChange[]) {
		this.#asked = asked.map((one) => ({ ...one, isUnknown: one.status === undefined || one.status >= 500 }));
	}

	/** Creations and updates of a kind of thing whose answer names the version that they made. */
	acknowledged(thing: Thing): Acknowledged[] {
		return this.#asked.flatMap(({ method, path, status, data, version }) => {
			const [, , collection, id, part] = path.split('/');
			if (part === 'schedule') return []; // its version is not the service's
			const made = data?.version ?? version;
			if (collection !== `${thing}s` || method === 'DELETE' || !isSuccess(status) || made === undefined) return [];
			return [{ id: Number(id ?? data?.id), version: made, data: data?.version === undefined ? undefined : data }];
		});
	}

	created(thing: Thing): { acknowledged: Set<number>; unknown: number } {
		const all = this.#asked.filter(({ method, path }) => method === 'POST' && path === `/v1/${thing}s`);
		const acknowledged = new Set(all.filter(({ status }) => isSuccess(status)).map(({ data }) => data!.id!));
		return { acknowledged, unknown: all.filter(({ isUnknown }) => isUnknown).length };
	}

	/** How many may have changed it, though nobody was told. */
	unknown(thing: Thing, id: number): number {
		const path = `/v1/${thing}s/${id}`;
		const about = this.#asked.filter((one) => one.path === path || one.path.startsWith(`${path}/`));
		return about.filter(({ method, isUnknown }) => method !== 'DELETE' && isUnknown).length;
	}

	/** Texts that one request alone named, and whether it was refused. */
	texts(): Map<string, 'refused' | 'possible'> {
		const byText = Map.groupBy(this.#asked, ({ message }) => message ?? '');
		byText.delete('');
		const single = [...byText].filter(([, all]) => all.length === 1);
		return new Map(
			single.map(([text, [one]]) => [text, one!.isUnknown || isSuccess(one!.status) ? 'possible' : 'refused']),
		);
	}

	deletion(thing: Thing, id: number): 'acknowledged' | 'unknown' | undefined {
		const all = this.#asked.filter(({ method, path }) => method === 'DELETE' && path === `/v1/${thing}s/${id}`);
		if (all.some(({ status }) => isSuccess(status))) return 'acknowledged';
		return all.some(({ isUnknown }) => isUnknown) ? 'unknown' : undefined;
	}
}

function isSuccess(status = 0): boolean {
	return status >= 200 && status < 300;
}

function judgeAcknowledged(events: readonly BookingEvent[], changes: Changes): string[] {
	const told = new Set(events.map(({ data }) => `${data.id}.${data.version}`));
	const missing = changes.acknowledged('booking').filter(({ id, version }) => !told.has(`${id}.${version}`));
	return missing.map(
		({ id, version }) => `version ${version} of booking ${id} was acknowledged, and no event tells of it`,
	);
}

/** Whatever is there was created by somebody. */
function newcomers(thing: Thing, ids: readonly number[], changes: Changes): string[] {
	const { acknowledged, unknown } = changes.created(thing);
	const others = ids.filter((id) => !acknowledged.has(id));
	if (others.length <= unknown) return [];
	return [`${thing}s ${others.join(', ')} are there, and only ${unknown} creations may have been made unacknowledged`];
}

function judgeBooking(id: number, story: readonly BookingEvent[], changes: Changes): string[] {
	const findings: string[] = [];
	const versions = story.map(({ data }) => data.version).sort((a, b) => a - b);
	if (versions.some((version, index) => version !== index + 1)) findings.push(`booking ${id} has versions ${versions}`);
	const known = changes.acknowledged('booking').filter((one) => one.id === id);
	for (const { version, data } of known) {
		const event = story.find((one) => one.data.version === version);
		if (event && data !== undefined && !isSame(event.data, data as Booking)) {
			findings.push(
				`version ${version} of booking ${id} was answered ${JSON.stringify(data)}, not ${JSON.stringify(event)}`,
			);
		}
	}
	const deleted = story.filter(({ type }) => type === 'booking.deleted');
	const asked = changes.deletion('booking', id) ?? changes.deletion('service', story[0]!.data.service_id);
	if (asked === 'acknowledged' && deleted.length !== 1) findings.push(`booking ${id}: deleted ${deleted.length} times`);
	if (asked === undefined && deleted.length > 0) findings.push(`booking ${id} was deleted by nobody`);
	const acknowledged = new Set([1, ...known.map(({ version }) => version)]);
	const unexplained = story.filter(({ type, data }) => type !== 'booking.deleted' && !acknowledged.has(data.version));
	if (unexplained.length > changes.unknown('booking', id)) {
		findings.push(`booking ${id}: nobody acknowledged versions ${unexplained.map(({ data }) => data.version)}`);
	}
	return findings;
}

/** Whether two looks show the same of a booking. */
function isSame(one: Booking | undefined, other: Booking | undefined): boolean {
	return isDeepStrictEqual(one, other);
}

/** A text comes with one version at most, and one that was refused with none. */
function judgeTexts(stories: readonly BookingEvent[][], changes: Changes): string[] {
	const came = new Map<string, number>();
	for (const story of stories) {
		let before: string | null = null;
		for (const { data } of story.toSorted((one, other) => one.data.version - other.data.version)) {
			if (data.message !== null && data.message !== before) came.set(data.message, (came.get(data.message) ?? 0) + 1);
			before = data.message;
		}
	}
	return [...changes.texts()].flatMap(([text, outcome]) => {
		const times = came.get(text) ?? 0;
		if (outcome === 'refused' && times > 0) return [`"${text}" was refused, and is in a booking`];
		return times > 1 ? [`"${text}" was asked for once, and made ${times} times`] : [];
	});
}

/** A booking is as its last event tells. */
function judgeLatest(bookings: readonly Booking[], stories: Map<number, BookingEvent[]>): string[] {
	const there = new Map(bookings.map((booking) => [booking.id, booking]));
	const untold = bookings.filter(({ id }) => !stories.has(id)).map(({ id }) => `no event tells of booking ${id}`);
	const others = [...stories].flatMap(([id, story]) => {
		const last = story.reduce((one, other) => (other.data.version > one.data.version ? other : one));
		const expected = last.type === 'booking.deleted' ? undefined : last.data;
		if (isSame(there.get(id), expected)) return [];
		return [`booking ${id} is ${JSON.stringify(there.get(id))}, and its last event tells ${JSON.stringify(last)}`];
	});
	return [...untold, ...others];
}

/** Services and webhooks have no feed: what is listed must be one of the states that the changes allow. */
async function judgeListed(client: Client, thing: 'service' | 'webhook', changes: Changes): Promise<string[]> {
	const list = await client.get<Record<string, { id: number; version: number }[]>>(
		`/v1/${thing}s?page=1&page_size=1000`,
	);
	const there = new Map(list.mustBe(200)[`${thing}s`]!.map(({ id, version }) => [id, version]));
	const findings = newcomers(thing, [...there.keys()], changes);
	for (const id of changes.created(thing).acknowledged) {
		const deletion = changes.deletion(thing, id);
		if (there.has(id) && deletion === 'acknowledged') findings.push(`${thing} ${id} is there, and was deleted`);
		if (!there.has(id) && deletion === undefined) findings.push(`${thing} ${id} is gone, and nobody deleted it`);
	}
	for (const [id, version] of there) {
		const known = changes.acknowledged(thing).filter((one) => one.id === id);
		const highest = Math.max(1, ...known.map((one) => one.version));
		if (version < highest)
			findings.push(`${thing} ${id}: version ${highest} was acknowledged, and ${version} is there`);
		const most = highest + changes.unknown(thing, id);
		if (thing === 'service' && version > most)
			findings.push(`${thing} ${id}: version ${version}, and ${most} at most was asked for`);
	}
	return findings;
}
