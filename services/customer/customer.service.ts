import type { Handlers } from '../../shared/contract/actions.ts';
import { logFailure } from '../../shared/log/log.ts';
import type { ServiceFactory } from '../../shared/process/dependencies.ts';
import { Deadline } from '../../shared/work/deadline.ts';
import { Periodic } from '../../shared/work/periodic.ts';
import { CustomerStore } from './customer-store.ts';
import { recordEntries } from './record-entries.ts';

/** ms */
const SWEEP_EVERY = 3_600_000;

/** The directory of all customers of an account. */
export const customerService: ServiceFactory = ({ clock, logger, store: { connection } }) => {
	const customers = new CustomerStore(connection);
	const sweep = new Periodic({
		every: SWEEP_EVERY,
		async run(signal) {
			const removed = await customers.removeMarkers(clock.now(), signal);
			if (removed > 0) logger.info({ removed }, 'markers of deleted customers removed');
		},
		failed: (error) =>
			logFailure(logger, error, 'markers of deleted customers could not be removed; tried again later'),
	});

	const actions: Handlers<'customer'> = {
		record: async (context) => {
			await recordEntries(customers, context.params.entries, clock.now(), Deadline.of(context));
			return 'ok';
		},
	};

	return {
		name: 'customer',
		actions,
		async started() {
			await customers.prepare();
			sweep.start();
		},
		async stopped() {
			await sweep.stop();
		},
	};
};
