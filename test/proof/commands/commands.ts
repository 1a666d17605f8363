import fc from 'fast-check';

/** Something that a client does, one after the other; bookings and slots are named by number. */
export type Command =
	| { kind: 'create'; slot: number; week: 0 | 1; email: string | null; key: number | null }
	| { kind: 'status'; booking: number; status: 'pending' | 'confirmed' | 'cancelled'; week: 0 | 1 | null }
	| { kind: 'note'; booking: number; message: string | null }
	| { kind: 'customer'; booking: number; email: string | null }
	| { kind: 'stale'; booking: number }
	| { kind: 'get'; booking: number }
	| { kind: 'delete'; booking: number }
	| { kind: 'maximum'; slot: number; max: number }
	| { kind: 'delete service' };

const week = fc.constantFrom(0 as const, 1 as const);
const slot = fc.nat({ max: 1 });
const booking = fc.nat({ max: 5 });
const email = fc.option(fc.constantFrom('ada@x.org', 'ADA@x.org', 'bob@x.org'));
const key = fc.option(fc.nat({ max: 2 }), { freq: 2 });
const status = fc.constantFrom('pending' as const, 'confirmed' as const, 'cancelled' as const);

const command: fc.Arbitrary<Command> = fc.oneof(
	{ weight: 8, arbitrary: fc.record({ kind: fc.constant('create' as const), slot, week, email, key }) },
	{ weight: 6, arbitrary: fc.record({ kind: fc.constant('status' as const), booking, status, week: fc.option(week) }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('note' as const), booking, message: fc.option(fc.string()) }) },
	{ weight: 2, arbitrary: fc.record({ kind: fc.constant('customer' as const), booking, email }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('stale' as const), booking }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('get' as const), booking }) },
	{ weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), booking }) },
	{ weight: 2, arbitrary: fc.record({ kind: fc.constant('maximum' as const), slot, max: fc.nat({ max: 3 }) }) },
);

/** A random sequence; some end with the deletion of the service. */
export const commands: fc.Arbitrary<Command[]> = fc
	.tuple(fc.array(command, { minLength: 3, maxLength: 25 }), fc.boolean())
	.map(([all, ends]) => (ends ? [...all, { kind: 'delete service' as const }, ...all.slice(0, 2)] : all));
