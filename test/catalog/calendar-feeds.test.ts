import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newService, onBothStores, World } from './catalog-world.ts';

onBothStores('calendar feeds', (form) => {
	let world: World;
	beforeAll(async () => {
		world = await World.start(form, 3);
	});
	afterAll(() => world.stop());

	test('F1: When several processes make feeds of a service at once, then it has ten, and others are refused', async () => {
		const account_id = world.account();
		const { data } = await world.catalog.call('createService', { account_id, body: newService() });
		const service = { account_id, service_id: data.id };
		const tries = Array.from({ length: 24 }, (_, index) =>
			world.catalogs[index % 3]!.call('createFeed', { ...service, body: {} }),
		);
		const outcomes = await Promise.allSettled(tries);
		const refused = outcomes.filter(({ status }) => status === 'rejected');
		expect(refused).toHaveLength(14);
		for (const one of refused) {
			expect(one).toMatchObject({ reason: { type: 'calendar_feeds_limit_reached' } });
		}
		const feeds = await world.catalogs[2]!.call('listFeeds', service);
		expect(feeds).toHaveLength(10);
		await world.catalog.call('deleteFeed', { ...service, feed_id: feeds[3]!.id });
		await world.catalogs[1]!.call('createFeed', { ...service, body: {} });
		await expect(world.catalog.call('createFeed', { ...service, body: {} })).rejects.toMatchObject({
			type: 'calendar_feeds_limit_reached',
		});
	});
});
