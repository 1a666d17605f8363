import { type Connection, type Model, Mongoose } from 'mongoose';
import { accountModel, roleModel } from '../../services/accounts/account.model.ts';
import { keyModel } from '../../services/accounts/keys/key-store.ts';
import { logModel } from '../../services/accounts/operators/operator-log.ts';
import { planModel } from '../../services/accounts/plan.model.ts';
import { usageModel } from '../../services/accounts/quota/usage-store.ts';
import { bookingModel } from '../../services/booking/document/booking.model.ts';
import { closureModel } from '../../services/booking/document/closures.ts';
import { feedModel } from '../../services/catalog/feeds/feed-store.ts';
import { removalModel } from '../../services/catalog/removal-store.ts';
import { slotModel, slotUpdateModel } from '../../services/catalog/schedule/slot.model.ts';
import { serviceModel } from '../../services/catalog/service.model.ts';
import { customerModel } from '../../services/customer/customer-store.ts';
import { erasureModel } from '../../services/customer/erasure/erasure-store.ts';
import { formerModel } from '../../services/customer/former-customers.ts';
import { eventModel } from '../../services/notifications/log/event-store.ts';
import { deliveryModel } from '../../services/notifications/webhooks/store/delivery.model.ts';
import { webhookModel } from '../../services/notifications/webhooks/store/webhook.model.ts';
import { counterModel } from '../../shared/store/counter.ts';

/** How the models of all services are made: what they keep is all that there is, beside the store's own format. */
const MODELS = [
	...[planModel, roleModel, accountModel, keyModel, usageModel, logModel],
	...[serviceModel, slotModel, slotUpdateModel, feedModel, removalModel],
	...[bookingModel, closureModel],
	...[customerModel, formerModel, erasureModel],
	...[eventModel, webhookModel, deliveryModel],
	...['accounts_counters', 'catalog_counters', 'booking_counters', 'notifications_counters'].map(
		(name) => (connection: Connection) => counterModel(connection, name),
	),
];

/** The names of every collection of the product. */
export const collectionNames: readonly string[] = modelsOn(new Mongoose().createConnection()).map(
	({ collection }) => collection.name,
);

/** The models of every collection of the product. */
// biome-ignore lint/suspicious/noExplicitAny: models of several documents
export function modelsOn(connection: Connection): Model<any>[] {
	return MODELS.map((model) => model(connection));
}
