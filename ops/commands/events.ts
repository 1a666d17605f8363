import { call } from '../../shared/bus/call.ts';
import { integer } from '../../shared/config/parsers.ts';
import type { EventReport } from '../../shared/contract/reports.ts';
import { accountId } from '../line/arguments.ts';
import { accepted, assertKnownAccount, command } from '../line/command.ts';
import { table } from '../tables.ts';

const DEFAULT_LIMIT = 20;
/** Of an answer to somebody who follows */
const MOST = 50;

export const eventsTail = command({
	name: 'events tail',
	summary: 'an account’s last events, without the customers that they name',
	parameters: { account: { meaning: 'Id of the account', parse: accountId } },
	options: {
		limit: { meaning: `1 to ${MOST}; ${DEFAULT_LIMIT} if left out`, placeholder: 'number', parse: integer(1, MOST) },
		after: {
			meaning: 'The first ones behind this one',
			placeholder: 'sequence',
			parse: integer(0, Number.MAX_SAFE_INTEGER),
		},
		follow: { meaning: 'Goes on with those to come, on the command line; with --json each is a line' },
	},
	needs: ['accounts', 'notifications'],
	async run(broker, { account: account_id, limit = DEFAULT_LIMIT, after, follow }) {
		await assertKnownAccount(broker, account_id);
		const from = after === undefined ? {} : { after };
		const events = accepted(await call(broker, 'notifications.tailEvents', { account_id, limit, ...from }));
		const last = events.at(-1)?.sequence ?? after ?? 0;
		const next = ['events', 'tail', account_id, '--after', String(last), '--limit', String(MOST), '--follow'];
		return { data: events, text: textOf(events, follow && after !== undefined), ...(follow && { next }) };
	},
});

/** @param goesOn it stands below another one */
function textOf(events: EventReport[], goesOn: boolean): string {
	if (events.length === 0) return goesOn ? '' : 'no events';
	const rows = events.map(({ sequence, timestamp, type, booking_id, id }) => {
		return [sequence, timestamp, type, booking_id ?? '', id];
	});
	const text = table(['sequence', 'time', 'type', 'booking', 'event'], rows);
	return goesOn ? text.split('\n').slice(2).join('\n') : text;
}
