import type { Measure } from '../comparison.ts';
import { creates } from './creates.ts';
import { generatorCheck } from './generator-check.ts';
import { growth } from './growth.ts';
import { overloads } from './overload.ts';
import { reads } from './reads.ts';
import { secondBookings } from './second-booking.ts';
import { starts } from './start.ts';

/** In the order in which they run; those of one form share its processes. */
export const measures: readonly Measure[] = [
	generatorCheck,
	...reads,
	...creates,
	...overloads,
	...growth,
	...secondBookings,
	...starts,
];
