import type { ServiceBroker } from 'moleculer';
import type { Handlers } from '../../shared/contract/actions.ts';
import { logFailure } from '../../shared/log/log.ts';
import type { ServiceFactory } from '../../shared/process/dependencies.ts';
import { Deadline } from '../../shared/work/deadline.ts';
import { Periodic } from '../../shared/work/periodic.ts';
import { CustomerStore } from './customer-store.ts';
import { ErasureStore } from './erasure/erasure-store.ts';
import { Erasures } from './erasure/erasures.ts';
import { exportPerson } from './export-person.ts';
import { FormerCustomers } from './former-customers.ts';
import { recordEntries } from './record-entries.ts';

/** ms */
const SWEEP_EVERY = 3_600_000;

/** The directory of all customers of an account. */
export const customerService: ServiceFactory = ({ clock, logger, store }) => {
	const { connection } = store;
	const erasures = new ErasureStore(connection);
	let carriedOut: Erasures;
	const customers = new CustomerStore(connection);
	const former = new FormerCustomers(connection);
	const sweep = new Periodic({
		every: SWEEP_EVERY,
		async run(signal) {
			const removed = await customers.removeMarkers(clock.now(), signal);
			await former.removeOld(clock.now(), signal);
			if (removed > 0) logger.info({ removed }, 'markers of deleted customers removed');
		},
		failed: (error) =>
			logFailure(logger, error, 'markers of deleted customers could not be removed; tried again later'),
	});

	const actions: Handlers<'customer'> = {
		record: async (context) => {
			await recordEntries({ customers, former }, context.params.entries, clock.now(), Deadline.of(context));
			return 'ok';
		},
		list: ({ params }) => customers.list(params, params.filters, params),
		erase: (context) => carriedOut.begin(context.params, Deadline.of(context)),
		export: (context) => exportPerson({ customers, former }, context, context.params),
	};

	return {
		name: 'customer',
		actions,
		created(this: { broker: ServiceBroker }) {
			const leaveNoTraces = () => store.leaveNoTraces();
			carriedOut = new Erasures({ erasures, customers, former, leaveNoTraces, broker: this.broker, clock, logger });
		},
		async started() {
			await customers.prepare();
			await former.prepare();
			await erasures.prepare();
			sweep.start();
			carriedOut.start();
		},
		async stopped() {
			await Promise.all([sweep.stop(), carriedOut.stop()]);
		},
	};
};
