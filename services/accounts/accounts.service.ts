import type { Handlers } from '../../shared/actions.ts';
import { Deadline } from '../../shared/deadline.ts';
import type { ServiceFactory } from '../../shared/runtime/dependencies.ts';
import { accountsStore, prepareAccountsStore } from './accounts-store.ts';
import { addBootstrapKeys } from './add-bootstrap-keys.ts';
import { addDemoKey } from './add-demo-key.ts';
import { bookingLimit } from './booking-limit.ts';
import { getProvider } from './get-provider.ts';
import { operatorActions } from './operator-actions.ts';
import { recordRequests } from './record-requests.ts';
import { UseRecorder } from './record-use.ts';
import { releaseBookings } from './release-bookings.ts';
import { reserveBookings } from './reserve-bookings.ts';
import { seedPlans } from './seed-plans.ts';
import { showUsage } from './show-usage.ts';
import { verifyKey } from './verify-key.ts';

/** What the process that started the service may ask of it, beside its actions. */
export interface AccountsMethods {
	/** The demo key, for the start banner, where this process made it: on the first call only. */
	takeDemoKey(): string | undefined;
}

export const accountsService: ServiceFactory = ({ config, clock, logger, store: { connection } }) => {
	const store = accountsStore(connection);
	const uses = new UseRecorder(store.keys, clock, logger);
	const reserve = reserveBookings(store, bookingLimit(store, clock));
	let demoKey: string | undefined;

	const actions: Handlers<'accounts'> = {
		...operatorActions(store, clock, logger),
		verifyKey: ({ params }) => verifyKey(store, clock, uses, params.hash),
		provider: ({ params }) => getProvider(store, params.account_id),
		reserveBookings: (context) => reserve(context.params, Deadline.of(context)),
		releaseBookings: async ({ params }) => {
			await releaseBookings(store, params);
			return 'ok';
		},
		recordRequests: ({ params }) => recordRequests(store, params),
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
			await prepareAccountsStore(store);
			await seedPlans(store, clock);
			if (config.bootstrapKeys.length > 0) await addBootstrapKeys(store, clock, config.bootstrapKeys);
			else demoKey = await addDemoKey(store, clock);
		},
		async stopped() {
			await uses.settled();
		},
	};
};
