import { type DeliveryDocument, dueAtOnce } from '../store/delivery.model.ts';

/**
 * What the fields become where a delivery is to be sent again, at once, with the whole schedule before it.
 * @param now queues' time (ms)
 */
export function requeued(now: number): Pick<DeliveryDocument, 'status' | 'due_at' | 'failed_at' | 'made'> {
	return { status: 'pending', due_at: dueAtOnce(now), failed_at: 0, made: 0 };
}
