import { expect, test } from '@jest/globals';
import { Errors, ServiceBroker } from 'moleculer';
import { ApiErrorRegenerator } from '../../shared/bus/error-boundary.ts';
import { ApiError } from '../../shared/contract/errors.ts';

function overTheBus(error: Error): Error {
	const regenerator = new ApiErrorRegenerator();
	regenerator.init(new ServiceBroker({ logger: false }));
	const plain = JSON.parse(JSON.stringify(regenerator.extractPlainError(error)));
	return regenerator.restore(plain, { sender: 'other' } as never);
}

const where = { action: 'booking.create', nodeID: 'booking-1' };
const ofMoleculer = [
	new Errors.RequestTimeoutError(where),
	new Errors.RequestSkippedError(where),
	new Errors.ServiceNotFoundError(where),
	new Errors.ServiceNotAvailableError(where),
	new Errors.RequestRejectedError(where),
	new Errors.QueueIsFullError({ ...where, size: 1, limit: 1 }),
	new Errors.MaxCallLevelError({ nodeID: 'booking-1', level: 10 }),
];

const named = ofMoleculer.map((error) => [error.name, error] as const);

test.each(named)('When an action ends with %s on another node, then its caller gets the same', (_name, error) => {
	const arrived = overTheBus(error);
	expect(arrived).toBeInstanceOf(error.constructor);
	expect(arrived.stack).not.toContain(error.stack!.split('\n')[1]);
});

test('When an action ends with an error of the catalogue, then its caller gets that one', () => {
	const arrived = overTheBus(new ApiError('time_slot_full'));
	expect(arrived).toBeInstanceOf(ApiError);
	expect((arrived as ApiError).type).toBe('time_slot_full');
});

test('When an action ends with anything else, then nothing but its message crosses the bus', () => {
	const secret = Object.assign(new Error('broken'), { data: { email: 'ada@example.com' } });
	expect(JSON.stringify(overTheBus(secret))).not.toContain('ada');
});
