import type { Params, Result } from '../../../shared/contract/actions.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import {
	type DateOverride,
	type DateOverridePreview,
	MOST_OVERRIDES,
} from '../../../shared/contract/schemas/date-override.ts';
import { timestamp } from '../../../shared/engine/clock.ts';
import { deleteOnce } from '../../../shared/work/answered.ts';
import { underDeadline } from '../../../shared/work/deadline.ts';
import type { Catalog, Request } from '../catalog.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { findService } from '../read-services.ts';
import { type ServiceDocument, serviceKey } from '../service.model.ts';
import { impactOf } from './impact-of.ts';

/**
 * Another maximum on some dates of a service.
 * @throws service_not_found, time_slot_not_found, date_overrides_limit_reached
 */
export async function createOverride(
	catalog: Catalog,
	params: Params<'catalog.createOverride'>,
	request: Request,
): Promise<DateOverride> {
	const { store } = catalog;
	const { given } = await readGiven(store, params);
	const override = { id: await store.overrides.nextId(), ...given };
	await change(catalog, params, request, async (overrides) => {
		await assertSlot(store, params); // after the service was read: a schedule without the slot may have been committed since
		return withOverride(overrides, override);
	});
	return override;
}

/** Of several overrides the one with the highest id holds, and a new one has that. */
const NEXT_ID = Number.MAX_SAFE_INTEGER;

/**
 * What an override would mean for the bookings on its dates.
 * @throws what making it would
 */
export async function previewOverride(
	{ store }: Catalog,
	params: Params<'catalog.previewOverride'>,
	request: Request,
): Promise<DateOverridePreview> {
	const { account_id, service_id } = params;
	const { service, given } = await readGiven(store, params);
	const override = { id: NEXT_ID, ...given };
	withOverride((await store.overrides.ofService(service)).overrides, override);
	const { date_from: from, date_to: to, time_slot_id } = given;
	const impact = await impactOf(store, request, {
		account_id,
		service_id,
		slot_ids: time_slot_id === null ? undefined : [time_slot_id],
		from,
		to,
		change: (plan) => ({ ...plan, overrides: [...plan.overrides, override] }),
	});
	return { ...given, id: null, impact };
}

/** @throws service_not_found, time_slot_not_found */
async function readGiven(
	store: CatalogStore,
	params: Params<'catalog.createOverride'>,
): Promise<{ service: ServiceDocument; given: Omit<DateOverride, 'id'> }> {
	const { account_id, service_id, body } = params;
	const { date_from, date_to, time_slot_id = null, max_bookings, reason = null } = body;
	const service = await findService(store, account_id, service_id);
	await assertSlot(store, params);
	return { service, given: { date_from, date_to, time_slot_id, max_bookings, reason } };
}

/** @throws time_slot_not_found where it names one that is not the service's */
async function assertSlot(
	store: CatalogStore,
	{ account_id, service_id, body }: Params<'catalog.createOverride'>,
): Promise<void> {
	if (body.time_slot_id == null) return;
	const [slot] = await store.slots.find([{ account_id, time_slot_id: body.time_slot_id }]);
	if (slot?.service_id !== service_id) throw new ApiError('time_slot_not_found');
}

/** @throws date_overrides_limit_reached */
function withOverride(overrides: readonly DateOverride[], override: DateOverride): DateOverride[] {
	if (overrides.length >= MOST_OVERRIDES) throw new ApiError('date_overrides_limit_reached');
	return [...overrides, override];
}

/** @throws service_not_found, date_override_not_found */
export async function deleteOverride(
	catalog: Catalog,
	params: Params<'catalog.deleteOverride'>,
	request: Request,
): Promise<'ok'> {
	const { account_id, service_id, override_id } = params;
	const { removals, clock } = catalog.store;
	const removed = { account_id, service_id, kind: 'date override', id: override_id } as const;
	const remove = () =>
		change(catalog, params, request, async (overrides) => {
			const left = overrides.filter(({ id }) => id !== override_id);
			if (left.length === overrides.length) throw new ApiError('date_override_not_found');
			await underDeadline(request.deadline, () => removals.note(removed, clock.now()));
			return left;
		});
	return deleteOnce('date_override_not_found', request.deadline, remove, () => removals.isUnanswered(removed));
}

/** By first date, then id. @throws service_not_found */
export async function listOverrides(
	{ store }: Catalog,
	{ account_id, service_id, offset, limit }: Params<'catalog.listOverrides'>,
): Promise<Result<'catalog.listOverrides'>> {
	const service = await findService(store, account_id, service_id);
	const { version, overrides } = await store.overrides.ofService(service);
	const sorted = overrides.toSorted(
		(a, b) => (a.date_from < b.date_from ? -1 : Number(a.date_from > b.date_from)) || a.id - b.id,
	);
	return { date_overrides: sorted.slice(offset, offset + limit), total: sorted.length, cut: String(version) };
}

/** One write of the service, by compare-and-set on the version of its overrides; where another process was faster, again. */
function change(
	{ store, changes }: Catalog,
	{ account_id, service_id }: { account_id: string; service_id: number },
	{ deadline }: Request,
	changed: (overrides: readonly DateOverride[]) => Promise<DateOverride[]>,
): Promise<void> {
	return changes.run(serviceKey({ account_id, service_id }), async () => {
		for (;;) {
			const service = await findService(store, account_id, service_id);
			const before = await store.overrides.ofService(service);
			const now = timestamp(store.clock.now());
			const next = await changed(before.overrides);
			deadline.assertTimeLeft();
			if (await underDeadline(deadline, () => store.overrides.replace(service, before, next, now))) return;
		}
	});
}
