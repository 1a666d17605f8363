import { isDeepStrictEqual } from 'node:util';
import type { Params, Result, SlotPlan } from '../../shared/contract/actions.ts';
import { mergeMetadata } from '../../shared/contract/merge-metadata.ts';
import { NO_RULES } from '../../shared/contract/schemas/rules.ts';
import type { Service, UpdateService } from '../../shared/contract/schemas/service.ts';
import { assertVersion } from '../../shared/contract/version.ts';
import { timestamp } from '../../shared/engine/clock.ts';
import { SerialBatchesByKey } from '../../shared/engine/serial-batches.ts';
import { Deadline, DeadlinePassed, underDeadline } from '../../shared/work/deadline.ts';
import type { Catalog, Request } from './catalog.ts';
import { findService, showServices } from './read-services.ts';
import { impactOf } from './schedule/impact-of.ts';
import { changeable, type ServiceDocument, serviceKey } from './service.model.ts';
import { assertUpdatable } from './validate-service.ts';

interface Update {
	params: Params<'catalog.updateService'>;
	deadline: Deadline;
}

/** What an update came to: how the service is after it, or why it was refused. */
type Outcome = { after: ServiceDocument } | { error: unknown };

/**
 * Updates of one service that wait for an earlier one leave as one batch: one read, each decided on what the one before
 * it left, and one write, by compare-and-set on the version that was read. Each update still is a version of its own.
 * Where another process was faster, the whole batch is decided again; nothing is answered before the write.
 */
export class ServiceUpdates {
	readonly #catalog: Catalog;
	readonly #batches = new SerialBatchesByKey<Update, Outcome>((batch) =>
		this.#catalog.changes.run(serviceKey(batch[0]!.params), () => this.#write(batch)),
	);

	constructor(catalog: Catalog) {
		this.#catalog = catalog;
	}

	/**
	 * Changes what is given and different.
	 * @throws service_not_found, version_mismatch, version_conflict, invalid_request; gateway_timeout: nothing was written
	 */
	async run(params: Update['params'], deadline: Deadline): Promise<Service> {
		const { account_id, service_id, body } = params;
		assertUpdatable(body);
		await findService(this.#catalog.store, account_id, service_id);
		const show = await showServices(this.#catalog, account_id, [service_id]); // before the change: it may fail
		const outcome = await this.#batches.ask(serviceKey(params), { params, deadline });
		if ('error' in outcome) throw outcome.error;
		return show(outcome.after);
	}

	async #write(batch: Update[]): Promise<Outcome[]> {
		const { store } = this.#catalog;
		const { account_id, service_id } = batch[0]!.params;
		for (;;) {
			const before = await findService(store, account_id, service_id);
			let last = before;
			const outcomes = batch.map((update): Outcome => {
				try {
					last = applied(last, update, timestamp(store.clock.now()));
					return { after: last };
				} catch (error) {
					return { error };
				}
			});
			if (last === before) return outcomes;
			const written = batch.filter((_, index) => 'after' in outcomes[index]!);
			const deadline = Deadline.earliest(written.map((update) => update.deadline));
			try {
				if (await underDeadline(deadline, () => store.services.update(before, last))) return outcomes;
			} catch (error) {
				if (!DeadlinePassed.isOf(deadline, error)) throw error;
				// It was not sent, because an update is late: again, without that one.
			}
		}
	}
}

/**
 * What an update would answer, and what it would mean for bookings of the service.
 * @throws what the update would
 */
export async function previewService(
	catalog: Catalog,
	params: Params<'catalog.previewService'>,
	request: Request,
): Promise<Result<'catalog.previewService'>> {
	const { account_id, service_id, body } = params;
	const { store } = catalog;
	assertUpdatable(body);
	const before = await findService(store, account_id, service_id);
	const show = await showServices(catalog, account_id, [service_id]);
	const after = applied(before, { params, deadline: request.deadline }, timestamp(store.clock.now()));
	const change = (plan: SlotPlan) => ({ ...plan, timezone: after.timezone });
	const impact = await impactOf(store, request, { account_id, service_id, change });
	return { data: { ...show(after), impact }, version: before.version };
}

/** @returns the service itself where nothing changes */
function applied(service: ServiceDocument, { params, deadline }: Update, now: string): ServiceDocument {
	assertVersion(service.version, params.if_match, params.body.version);
	const { metadata: change = {}, rules: newRules, ...body } = given(params.body);
	const rules = { ...NO_RULES, ...service.rules, ...newRules };
	const metadata = mergeMetadata(service.metadata ?? {}, change);
	const changed = changeable({ ...service, ...body, rules, metadata });
	if (isDeepStrictEqual(changed, changeable(service))) return service;
	deadline.assertTimeLeft();
	const after = { ...service, ...changed, version: service.version + 1, updated_at: now };
	const reschedules =
		after.timezone !== service.timezone || !isDeepStrictEqual(rules, { ...NO_RULES, ...service.rules });
	return reschedules ? { ...after, schedule_version: (service.schedule_version ?? 0) + 1 } : after;
}

/** A field that is `undefined` was not sent. */
function given(body: UpdateService): Partial<UpdateService> {
	return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}
