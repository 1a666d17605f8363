import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newService, onBothStores, World } from './catalog-world.ts';

onBothStores('updating a service', (form) => {
	let world: World;
	beforeAll(async () => {
		world = await World.start(form, 2);
	});
	afterAll(() => world.stop());

	const newOne = async () => {
		const account_id = world.account();
		const { data } = await world.catalog.call('createService', { account_id, body: newService() });
		return { account_id, service_id: data.id, before: data };
	};

	test('When fields are changed, then version and updated_at move on, and what was not sent stays', async () => {
		const { account_id, service_id, before } = await newOne();
		world.clock.advance(1_000);
		world.bookings.set(service_id, 7);
		const body = { description: 'New', timezone: 'Asia/Calcutta' };
		const after = await world.catalog.call('updateService', { account_id, service_id, body });
		expect(after).toEqual({ ...before, ...body, version: 2, updated_at: after.updated_at, bookings_count: 7 });
		expect(Date.parse(after.updated_at) - Date.parse(before.updated_at)).toBe(1_000);
		expect(await world.catalog.call('getService', { account_id, service_id })).toEqual(after);
		const cleared = await world.catalog.call('updateService', { account_id, service_id, body: { description: null } });
		expect(cleared).toMatchObject({ description: null, version: 3 });
	});

	test('When nothing changes, then version and updated_at stay', async () => {
		const { account_id, service_id, before } = await newOne();
		world.clock.advance(1_000);
		const body = { name: before.name, description: null, timezone: before.timezone };
		expect(await world.catalog.call('updateService', { account_id, service_id, body })).toEqual(before);
	});

	test('When the zone is unknown, then it is a 400, also where there is no such service', async () => {
		const { account_id, service_id } = await newOne();
		for (const id of [service_id, 999_999]) {
			const request = { account_id, service_id: id, body: { timezone: 'Mars/Base' } };
			await expect(world.catalog.call('updateService', request)).rejects.toMatchObject({
				type: 'invalid_request',
				code: 400,
				message: 'timezone: "Mars/Base" is not an IANA time zone',
			});
		}
	});

	test('When If-Match or version name another version, then 412 or 409', async () => {
		const { account_id, service_id } = await newOne();
		const request = { account_id, service_id, body: { name: 'Other' } };
		for (const if_match of [[2], [], [2, 3]]) {
			await expect(world.catalog.call('updateService', { ...request, if_match })).rejects.toMatchObject({ code: 412 });
		}
		await expect(
			world.catalog.call('updateService', { ...request, body: { name: 'Other', version: 2 } }),
		).rejects.toMatchObject({ code: 409 });
		const after = await world.catalog.call('updateService', { ...request, if_match: [4, 1] });
		expect(after).toMatchObject({ name: 'Other', version: 2 });
		await expect(
			world.catalog.call('updateService', { ...request, body: { name: 'Third', version: 2 }, if_match: '*' }),
		).resolves.toMatchObject({ version: 3 });
	});

	test('V2: When 200 changes run at once in two processes, then all succeed and no field is lost', async () => {
		const { account_id, service_id } = await newOne();
		const answers = await Promise.all(
			Array.from({ length: 200 }, (_, index) =>
				world.catalogs[index % 2]!.call('updateService', {
					account_id,
					service_id,
					body: index % 4 < 2 ? { name: `name ${index}` } : { description: `description ${index}` },
				}),
			),
		);
		const versions = answers.map(({ version }) => version).sort((left, right) => left - right);
		expect(versions).toEqual(Array.from({ length: 200 }, (_, index) => index + 2));
		const last = await world.catalog.call('getService', { account_id, service_id });
		const newest = (field: 'name' | 'description') =>
			answers
				.filter((answer, index) => answer[field] === `${field} ${index}`)
				.sort((left, right) => right.version - left.version)[0]![field];
		expect(last).toMatchObject({ name: newest('name'), description: newest('description'), version: 201 });
	});

	test('V2: When 50 changes name one version, then one succeeds and 49 are told so', async () => {
		const { account_id, service_id } = await newOne();
		const answers = await Promise.allSettled(
			Array.from({ length: 50 }, (_, index) =>
				world.catalogs[index % 2]!.call('updateService', {
					account_id,
					service_id,
					body: { name: `name ${index}` },
					if_match: [1],
				}),
			),
		);
		expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
		for (const answer of answers) {
			if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ type: 'version_mismatch' });
		}
	});
});
