import type { Handlers } from '../../shared/contract/actions.ts';
import type { ServiceFactory } from '../../shared/process/dependencies.ts';
import { Deadline } from '../../shared/work/deadline.ts';
import { AccountsStore } from './accounts-store.ts';
import { getProvider } from './get-provider.ts';
import { addBootstrapKeys, addDemoKey, sayHowToGetAKey } from './keys/first-keys.ts';
import { UseRecorder, verifyKey } from './keys/verify-key.ts';
import { listRetentions } from './list-retentions.ts';
import { operatorActions } from './operators/operator-actions.ts';
import { bookingLimit, releaseBookings, reserveBookings } from './quota/reserve-bookings.ts';
import { recordRequests, showUsage } from './quota/usage.ts';
import { seedPlans } from './seed-plans.ts';

/** What the process that started the service may ask of it, beside its actions. */
export interface AccountsMethods {
	/** The demo key, for the start banner, where this process made it: on the first call only. */
	takeDemoKey(): string | undefined;
}

export const accountsService: ServiceFactory = ({ config, clock, logger, store: { connection } }) => {
	const store = new AccountsStore(connection);
	const uses = new UseRecorder(store.keys, clock, logger);
	const reserve = reserveBookings(store, bookingLimit(store, clock));
	let demoKey: string | undefined;

	const actions: Handlers<'accounts'> = {
		...operatorActions(store, clock, logger),
		verifyKey: ({ params }) => verifyKey(store, clock, uses, params.hash),
		changes: async () => ({ count: await store.changes.last() }),
		isSuspended: async ({ params }) => (await store.account(params.account_id))?.suspended_at !== null,
		provider: ({ params }) => getProvider(store, params.account_id),
		reserveBookings: (context) => reserve(context.params, Deadline.of(context)),
		releaseBookings: async ({ params }) => {
			await releaseBookings(store, params);
			return 'ok';
		},
		recordRequests: ({ params }) => recordRequests(store, params),
		retentions: ({ params }) => listRetentions(store, params.after),
		retention: async ({ params }) => ({ days: (await store.account(params.account_id))?.retention_days || null }),
		usage: (context) => showUsage(store, clock, context, context.params),
	};

	return {
		name: 'accounts',
		actions,
		methods: {
			takeDemoKey() {
				const key = demoKey;
				demoKey = undefined;
				return key;
			},
		} satisfies AccountsMethods,
		async started() {
			await store.prepare();
			await seedPlans(store, clock);
			await addBootstrapKeys(store, clock, config.bootstrapKeys);
			if (config.bootstrapKeys.length === 0 && config.demo) demoKey = await addDemoKey(store, clock);
			if (demoKey === undefined) await sayHowToGetAKey(store, logger);
		},
		async stopped() {
			await uses.settled();
		},
	};
};
