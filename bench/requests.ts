import type { Recipe } from './load/recipes.ts';
import type { Site } from './site.ts';

/** The reads that are measured. */
export const requests = {
	service: ({ service }: Site): Recipe => ({ kind: 'same', method: 'GET', path: `/v1/services/${service}` }),
	booking: ({ first, bookings }: Site): Recipe => ({ kind: 'ids', path: '/v1/bookings/', first, count: bookings }),
	list: ({ service }: Site): Recipe => ({
		kind: 'same',
		method: 'GET',
		path: `/v1/bookings?service_id=${service}&page=1&page_size=20`,
	}),
	availability: ({ service }: Site): Recipe => ({
		kind: 'same',
		method: 'GET',
		path: `/v1/services/${service}/availability?from=2027-01-04&to=2027-04-05`,
	}),
};
