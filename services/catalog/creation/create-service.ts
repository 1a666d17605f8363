import { setTimeout as delay } from 'node:timers/promises';
import { accountKey } from '../../../shared/contract/actions/common.ts';
import type { Created, Params } from '../../../shared/contract/actions.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import { mergeMetadata } from '../../../shared/contract/merge-metadata.ts';
import type { Provider } from '../../../shared/contract/schemas/provider.ts';
import { NO_RULES } from '../../../shared/contract/schemas/rules.ts';
import type { Service } from '../../../shared/contract/schemas/service.ts';
import { timestamp } from '../../../shared/engine/clock.ts';
import { randomBase62, randomIndex } from '../../../shared/engine/ids.ts';
import { inTurn } from '../../../shared/engine/keyed-queue.ts';
import type { Deadline } from '../../../shared/work/deadline.ts';
import type { Catalog, Request } from '../catalog.ts';
import { type CatalogStore, unlessAway } from '../catalog-store.ts';
import { type SlotDocument, scheduleOf } from '../schedule/slot.model.ts';
import {
	allotment,
	filler,
	IDEMPOTENCY_TTL,
	idempotencyKeyOf,
	type ServiceDocument,
	toService,
	withoutLimit,
} from '../service.model.ts';
import { assertCreatable } from '../validate-service.ts';
import { openService } from './open-service.ts';

type CreateParams = Params<'catalog.createService'>;

/**
 * Creates a service with its slots: many documents, all or nothing, whichever process dies.
 *
 * 1. The slots are written as `new`. Nobody is shown a new slot.
 * 2. The service is inserted: this is the commit (`insertService`).
 * 3. The slots become active, by the creator before its 201, or by whoever meets the service before that (`openService`).
 *
 * No crash and no slow creator can leave a half:
 *
 * - The service is inserted only after the store acknowledged every slot. So where the service is there, its slots are
 *   complete, and step 3 may be taken by anybody, at any time.
 * - Where the service is not there, its slots are removed only once it cannot come: the creator knows that it was refused,
 *   or a fence took its `_id`. A creator that was stopped before step 2 and goes on
 *   then meets a duplicate `_id`, and refuses. The unique `_id` decides which of both inserts is the first, so no clock
 *   and no patience is part of the argument: the sweep's age limit only spares living creators the interruption.
 * - Where it is not known whether the service was inserted, and no fence could be set, the answer is 504, and the slots
 *   stay for the sweep (`settleCreation`).
 *
 * @throws unprocessable, services_limit_reached, idempotency_key_reused, request_in_progress, service_unavailable,
 *   gateway_timeout
 */
export async function createService(
	catalog: Catalog,
	params: CreateParams,
	request: Request,
): Promise<Created<Service>> {
	if (!params.idempotency) return create(catalog, params, request);
	const key = accountKey(params, params.idempotency.key);
	return inTurn(catalog.keyed, key, request.deadline, () => create(catalog, params, request));
}

async function create(catalog: Catalog, params: CreateParams, request: Request): Promise<Created<Service>> {
	const { store } = catalog;
	const first = await firstAnswer(store, params);
	if (first) return first;
	assertCreatable(params.body);
	const provider = await catalog.providers.of(params.account_id);
	const limit = provider.package.services_limit;
	const service = await newService(store, params, provider);
	const room = await chooseAllotment(store, service, limit);
	if (room === null) return refused(store, params, 'full'); // before hundreds of slots are written for nothing
	const insertion = await insertAll(catalog, service, await newSlots(store, service, params), limit, request);
	if (insertion !== 'inserted') return refused(store, params, insertion);
	await openService(store, service);
	return { data: answerOf(service, provider), replayed: false };
}

/** Steps 1 and 2. Where the service is not there and will not come, its slots are removed again. */
async function insertAll(
	catalog: Catalog,
	service: ServiceDocument,
	slots: SlotDocument[],
	limit: number | null,
	{ deadline }: Request,
): Promise<Insertion> {
	let insertion: Insertion = 'fenced';
	try {
		deadline.assertTimeLeft();
		if (slots.length > 0) await catalog.store.slots.insert(slots);
		insertion = await insertService(catalog, service, limit, deadline);
		return insertion;
	} finally {
		const mayCome = insertion === 'inserted' || insertion === 'unknown';
		if (slots.length > 0 && !mayCome) await unlessAway(() => catalog.store.slots.remove(service, 'new'));
	}
}

/**
 * A refusal, unless another process was first under the same Idempotency-Key: then its answer, for it may be the one that
 * has taken the last allotment.
 * @throws what the insertion means
 */
async function refused(
	store: CatalogStore,
	params: CreateParams,
	insertion: Exclude<Insertion, 'inserted'>,
): Promise<Created<Service>> {
	if (insertion === 'unknown') throw new ApiError('gateway_timeout');
	const first = await firstAnswer(store, params);
	if (first) return first;
	if (insertion === 'full') throw new ApiError('services_limit_reached');
	throw new ApiError(insertion === 'answered' ? 'request_in_progress' : 'service_unavailable');
}

/**
 * The first answer that was given under the request's Idempotency-Key, also after its service was changed or deleted;
 * undefined where there is none, or no key.
 * @throws idempotency_key_reused where it was given to another request
 */
async function firstAnswer(
	store: CatalogStore,
	{ account_id, idempotency }: CreateParams,
): Promise<Created<Service> | undefined> {
	if (!idempotency) return undefined;
	const service = await store.services.findByKey(account_id, idempotencyKeyOf(account_id, idempotency.key));
	if (!service?.idempotency) return undefined;
	if (store.clock.now() - service.idempotency.at > IDEMPOTENCY_TTL) {
		await store.services.forgetAnswer(service);
		return undefined;
	}
	if (service.idempotency.fingerprint !== idempotency.fingerprint) throw new ApiError('idempotency_key_reused');
	await openService(store, service);
	return { data: service.idempotency.answer, replayed: true };
}

/** The service to be, yet without an allotment. */
async function newService(
	store: CatalogStore,
	{ account_id, body, idempotency }: CreateParams,
	provider: Provider,
): Promise<ServiceDocument> {
	const _id = await store.services.nextId();
	const now = store.clock.now();
	const service: ServiceDocument = {
		_id,
		account_id,
		name: body.name,
		description: body.description ?? null,
		timezone: body.timezone,
		...(body.rules && { rules: { ...NO_RULES, ...body.rules } }),
		...(body.metadata && { metadata: mergeMetadata({}, body.metadata) }),
		place: filler(_id),
		idempotency_key: idempotency ? idempotencyKeyOf(account_id, idempotency.key) : filler(_id),
		idempotency: null,
		unfinished: body.time_slots?.length ? 'opening' : '',
		version: 1,
		write_id: randomBase62(16),
		created_at: timestamp(now),
		updated_at: timestamp(now),
		deleted_at: null,
		delete_answered: false,
		remove_at: 0,
	};
	if (idempotency) {
		const { fingerprint } = idempotency;
		service.idempotency = { fingerprint, at: now, answer: answerOf(service, provider) };
	}
	return service;
}

async function newSlots(
	store: CatalogStore,
	service: ServiceDocument,
	{ body }: CreateParams,
): Promise<SlotDocument[]> {
	const given = body.time_slots ?? [];
	if (given.length === 0) return [];
	const firstId = await store.slots.nextIds(given.length);
	return given.map((slot, index) => ({
		_id: firstId + index,
		account_id: service.account_id,
		service_id: service._id,
		...scheduleOf(slot),
		state: 'new',
		revision: 1,
		created_at: service.created_at,
		updated_at: service.created_at,
	}));
}

/** A new service has no bookings. */
function answerOf(service: ServiceDocument, provider: Provider): Service {
	return toService(service, provider, 0);
}

/**
 * What became of an insert.
 * - `inserted`
 * - `full`: the plan has no allotment left
 * - `answered`: there is a service with its Idempotency-Key
 * - `fenced`: it is not there and will not come
 * - `unknown`: it may be there, or still come
 */
type Insertion = 'inserted' | 'full' | 'answered' | 'fenced' | 'unknown';

/**
 * Inserts the service with an allotment of its own: the commit of a creation.
 * @param limit services of the plan; null: none
 * @throws gateway_timeout where no time is left; then nothing was written
 */
function insertService(
	catalog: Catalog,
	service: ServiceDocument,
	limit: number | null,
	deadline: Deadline,
): Promise<Insertion> {
	const insert = () => insertWithAllotment(catalog.store, service, limit, deadline);
	return limit === null ? insert() : catalog.allotting.run(accountKey(service), insert);
}

/** A duplicate key only says: read again, and decide from what is there. All attempts keep the id. */
async function insertWithAllotment(
	store: CatalogStore,
	service: ServiceDocument,
	limit: number | null,
	deadline: Deadline,
): Promise<Insertion> {
	for (;;) {
		const place = await chooseAllotment(store, service, limit);
		if (place === null) return 'full';
		deadline.assertTimeLeft();
		const insertion = await insertOnce(store, { ...service, place }, deadline);
		if (insertion !== 'taken') return insertion;
		if (await isAnswered(store, service)) return 'answered';
		await delay(Math.random() * 5); // what took the allotment may not be visible yet
	}
}

/**
 * An allotment for a new service. With `held` services, it is one of the first `limit - held` free numbers below the limit.
 * (Any free number would pass a limit that was lowered, for higher numbers stay held.) The unique index lets one service
 * have it, so the limit holds whatever runs at once. It is chosen at random, because others choose as well.
 *
 * @param limit services of the plan; null: none
 * @returns null where the limit is reached
 */
async function chooseAllotment(
	store: CatalogStore,
	{ _id, account_id }: ServiceDocument,
	limit: number | null,
): Promise<string | null> {
	if (limit === null) return withoutLimit(account_id, _id);
	if (limit === 0) return null;
	const held = new Set(await store.services.heldAllotments(account_id, limit));
	const open = limit - held.size;
	if (open === 0) return null;
	const free: string[] = [];
	for (let number = 0; free.length < open; number++) {
		const unit = allotment(account_id, number);
		if (!held.has(unit)) free.push(unit);
	}
	return free[randomIndex(free.length)]!;
}

async function insertOnce(
	{ services, clock }: CatalogStore,
	service: ServiceDocument,
	deadline: Deadline,
): Promise<'inserted' | 'taken' | 'fenced' | 'unknown'> {
	const insertion = await services.insert(service);
	if (insertion === 'inserted') return 'inserted';
	if (insertion === 'taken') return (await services.holderOfId(service)) ?? 'taken';
	const fenced = await services.fence(service.account_id, service._id, clock.now(), deadline);
	if (fenced !== 'there') return fenced;
	return (await services.holderOfId(service)) ?? 'unknown';
}

async function isAnswered(
	{ services }: CatalogStore,
	{ _id, account_id, idempotency_key }: ServiceDocument,
): Promise<boolean> {
	if (idempotency_key === filler(_id)) return false;
	return (await services.findByKey(account_id, idempotency_key)) !== null;
}
