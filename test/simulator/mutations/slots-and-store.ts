import { type Mutation, mutation as m } from './mutation.ts';

const counter = 'shared/store/counter.ts';
const writeErrors = 'shared/store/write-errors.ts';
const byAccount = 'shared/engine/by-account.ts';
const slotStore = 'services/catalog/schedule/slot-store.ts';
const updateSlots = 'services/catalog/schedule/update-slots.ts';

/** Bulk updates of slots; what all services share */
export const slotsAndStore: readonly Mutation[] = [
	m(counter, '{ $inc: { value: total } }', '{ $inc: { value: 1 } }', 'ids are given out twice'),
	m(writeErrors, 'return causes(error).some(isLost);', 'return false;', 'a lost answer counts as a refusal'),
	m(
		byAccount,
		'return document?.account_id === key.account_id ? document : null;',
		'return document ?? null;',
		"what is another account's is found in a shared read",
	),
	m(
		slotStore,
		'const asRead = { _id, account_id, sequence, open_since: 0 };',
		'const asRead = { _id, account_id };',
		'an update is committed on what another one changed meanwhile',
	),
	m(
		slotStore,
		'this.model.updateOne({ _id: slot_id, account_id, revision }, { $set: changed })',
		'this.model.updateOne({ _id: slot_id, account_id }, { $set: changed })',
		'an update that is carried out late undoes a newer one',
	),
	m(
		slotStore,
		'slots = updates.reduce(withUpdate, await this.#readAll(keys));',
		'slots = await this.#readAll(keys);',
		'who books sees a slot as before an update that is committed',
	),
	m(
		updateSlots,
		'\t\t\tdeadline.assertTimeLeft();\n\t\t\t\tconst changes',
		'\t\t\t\tconst changes',
		'a bulk update is committed after its deadline',
	),
	m(
		updateSlots,
		'if (update.open_since > 0) await carryOut(store, update);',
		'',
		'an update goes on from slots that are half of another one',
	),
	// The feed's order came last: the numbers of those before it are named in docs/proof.md.
	m(
		'services/booking/outbox/relay.ts',
		'await withGivers(this.#store.untold, own, most)',
		'{ newest: new Map(own.map((each) => [each._id, each])), cut: new Set<number>() }',
		'a place is told to be taken whether or not its giving up was told',
	),
	m(
		'services/booking/outbox/relay.ts',
		'mustWait: isCut && took.length > 0',
		'mustWait: false',
		'the same where more goes before it than is read at once',
	),
];
