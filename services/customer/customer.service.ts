import type { Handlers } from '../../shared/actions.ts';
import { Deadline } from '../../shared/deadline.ts';
import { logFailure } from '../../shared/log-failure.ts';
import type { ServiceFactory } from '../../shared/runtime/dependencies.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { customerModel } from './customer.model.ts';
import { recordEntries } from './record-entries.ts';
import { sweepMarkers } from './sweep-markers.ts';

/** ms */
const SWEEP_EVERY = 3_600_000;

/** The directory of all customers of an account. */
export const customerService: ServiceFactory = ({ clock, logger, store }) => {
	const customers = customerModel(store.connection);
	const stopping = new AbortController();
	let timer: NodeJS.Timeout | undefined;
	let sweeping: Promise<unknown> | undefined;

	const sweep = () => {
		sweeping = sweepMarkers(customers, clock.now(), stopping.signal).then(
			(removed) => removed > 0 && logger.info({ removed }, 'markers of deleted customers removed'),
			(error: unknown) => logFailure(logger, error, 'markers could not be removed; tried again later'),
		);
	};

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
			await prepareModels([customers]);
			timer = setInterval(sweep, SWEEP_EVERY).unref();
			sweep();
		},
		async stopped() {
			clearInterval(timer);
			stopping.abort();
			await sweeping;
		},
	};
};
