import { call } from '../../shared/bus/call.ts';
import { integer } from '../../shared/config/parsers.ts';
import { accountId } from '../line/arguments.ts';
import { assertKnownAccount, command } from '../line/command.ts';
import { table } from '../tables.ts';

const DEFAULT_LIMIT = 20;

export const eventsTail = command({
	name: 'events tail',
	summary: 'an account’s last events, without the customers that they name',
	parameters: { account: { meaning: 'Id of the account', parse: accountId } },
	options: { limit: { meaning: '1 to 50; 20 if left out', placeholder: 'number', parse: integer(1, 50) } },
	needs: ['accounts', 'notifications'],
	async run(broker, { account: account_id, limit = DEFAULT_LIMIT }) {
		await assertKnownAccount(broker, account_id);
		const events = await call(broker, 'notifications.tailEvents', { account_id, limit });
		const rows = events.map(({ sequence, timestamp, type, booking_id, id }) => [
			sequence,
			timestamp,
			type,
			booking_id ?? '',
			id,
		]);
		const text = events.length === 0 ? 'no events' : table(['sequence', 'time', 'type', 'booking', 'event'], rows);
		return { data: events, text };
	},
});
