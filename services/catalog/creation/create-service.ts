import { accountKey } from '../../../shared/contract/account-key.ts';
import type { Created, Params } from '../../../shared/contract/actions.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import type { Provider } from '../../../shared/contract/schemas/provider.ts';
import type { Service } from '../../../shared/contract/schemas/service.ts';
import { timestamp } from '../../../shared/engine/clock.ts';
import { randomBase62 } from '../../../shared/engine/ids.ts';
import { inTurn } from '../../../shared/engine/keyed-queue.ts';
import { isUnavailable } from '../../../shared/store/write-errors.ts';
import { withoutDeadline } from '../../../shared/work/deadline.ts';
import type { Catalog, Request } from '../catalog.ts';
import type { CatalogStore } from '../catalog-store.ts';
import type { SlotDocument } from '../schedule/slot.model.ts';
import { filler, type ServiceDocument, toService } from '../service.model.ts';
import { assertCreatable } from '../validate-service.ts';
import { choosePlace } from './choose-place.ts';
import { findFirstAnswer, idempotencyKeyOf } from './idempotency.ts';
import { type Insertion, insertService } from './insert-service.ts';
import { openService } from './open-service.ts';

type CreateParams = Params<'catalog.createService'>;

/**
 * Creates a service with its slots: many documents, all or nothing whatever dies.
 *
 * The slots are written first, as `new`, which nobody is shown; then the service, which is the commit; then the slots
 * become active, by the creator before its 201 or by whoever meets the service (`openService`). Why no crash and no slow
 * creator can leave a half:
 *
 * - The service is inserted only after the store acknowledged every slot. So where it is there, its slots are complete,
 *   and opening it only ever rolls forward.
 * - Where it is not there, its slots are removed only after a fence took its `_id` (`settleCreation`). A creator that
 *   was stopped in between and goes on then meets a duplicate `_id`, and refuses. Which of both inserts is first the
 *   unique `_id` decides, so no clock and no patience is part of the argument: the sweep's age limit only spares living
 *   creators the interruption.
 * - A service insert whose outcome is unknown is refused only behind a fence of its own; else the answer is 504 and the
 *   slots stay for the sweep.
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
	const room = await choosePlace(store, params.account_id, limit, service._id);
	if (room === null) return refused(store, params, 'full'); // before hundreds of slots are written for nothing
	const insertion = await insertAll(catalog, service, await newSlots(store, service, params), limit, request);
	if (insertion !== 'inserted') return refused(store, params, insertion);
	await openService(store, service);
	return { data: answerOf(service, provider), replayed: false };
}

/** Where the service is not there and will not come, its slots go again; what cannot be removed now, the sweep finds. */
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
		if (slots.length > 0) await catalog.store.slots.insertMany(slots, { ordered: false, lean: true });
		insertion = await insertService(catalog, service, limit, deadline);
		return insertion;
	} finally {
		if (slots.length > 0 && insertion !== 'inserted' && insertion !== 'unknown') {
			await removeSlots(catalog.store, service);
		}
	}
}

/**
 * A refusal, or the answer of another process that was first under the key: it may have taken the last place.
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

async function firstAnswer(
	store: CatalogStore,
	{ account_id, idempotency }: CreateParams,
): Promise<Created<Service> | undefined> {
	return idempotency && findFirstAnswer(store, account_id, idempotency);
}

async function newService(
	store: CatalogStore,
	{ account_id, body, idempotency }: CreateParams,
	provider: Provider,
): Promise<ServiceDocument> {
	const _id = await store.nextServiceId();
	const now = store.clock.now();
	const service: ServiceDocument = {
		_id,
		account_id,
		name: body.name,
		description: body.description ?? null,
		timezone: body.timezone,
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
	const firstId = await store.nextSlotIds(given.length);
	return given.map(({ day_of_week, start_time, end_time, max_bookings }, index) => ({
		_id: firstId + index,
		account_id: service.account_id,
		service_id: service._id,
		day_of_week,
		start_time,
		end_time,
		max_bookings,
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

async function removeSlots(store: CatalogStore, { _id, account_id }: ServiceDocument): Promise<void> {
	try {
		await withoutDeadline(() => store.slots.deleteMany({ account_id, service_id: _id, state: 'new' }).exec());
	} catch (error) {
		if (!isUnavailable(error)) throw error;
	}
}
