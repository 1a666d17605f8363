import type { Context } from 'moleculer';
import type { AccountsActions } from './actions/accounts.ts';
import type { BookingActions } from './actions/booking.ts';
import type { CatalogActions } from './actions/catalog.ts';
import type { CustomerActions } from './actions/customer.ts';
import type { NotificationsActions } from './actions/notifications.ts';
import type { ProcessActions } from './actions/process.ts';

export type { Scope } from './account-reports.ts';
export type { Principal, RequestCount } from './actions/accounts.ts';
export type {
	BookingListParams,
	BookingUpdateParams,
	CalendarEntry,
	CalendarParams,
	CreateBookingParams,
	ImpactParams,
	ToldOfPerson,
	VersionedCustomer,
} from './actions/booking.ts';
export type {
	FoundFeed,
	NextOccurrences,
	OccurrenceKey,
	OccurrencesParams,
	Removed,
	ServiceKey,
	SlotInZone,
	SlotKey,
	SlotListParams,
	SlotNow,
	SlotPlan,
} from './actions/catalog.ts';
export type { Created, Idempotency, IfMatch, Scoped } from './actions/common.ts';
export type { DirectoryEntry, ExportCursor, ExportPiece } from './actions/customer.ts';
export type { EventPosition, NewErasure, NewEvent } from './actions/notifications.ts';

/**
 * Every action on the bus, with what it takes and what it answers. `account_id` is the first parameter of each one that
 * touches a provider's data; only the gateway sets it, from the API key.
 */
export interface Actions
	extends AccountsActions,
		CatalogActions,
		BookingActions,
		CustomerActions,
		NotificationsActions,
		ProcessActions {}

export type ActionName = keyof Actions;
export type Params<K extends ActionName> = Actions[K]['params'];
export type Result<K extends ActionName> = Actions[K]['result'];

/** Each action of a service, with what it takes and answers. */
export type Handlers<Service extends string> = {
	[K in ActionName as K extends `${Service}.${infer Name}` ? Name : never]: (
		context: Context<Params<K>>,
	) => Promise<Result<K>>;
};
