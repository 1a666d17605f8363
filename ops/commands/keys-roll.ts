import { call } from '../../shared/bus/call.ts';
import { createApiKey, hashApiKey } from '../../shared/secrets/api-key.ts';
import { accepted } from '../line/accepted.ts';
import { duration, keyId } from '../line/arguments.ts';
import { command } from '../line/command.ts';
import { newKeyText } from '../tables/key-table.ts';

const DAY = 86_400_000; // ms

export const keysRoll = command({
	name: 'keys roll',
	summary: 'a new key in place of another, printed once; the old one works until the overlap is over',
	parameters: { key: { meaning: 'Id of the key that goes', parse: keyId } },
	options: {
		overlap: { placeholder: 'duration', meaning: 'Such as 2h, or 0m; 24h without it', parse: duration },
	},
	needs: ['accounts'],
	async run(broker, { key: key_id, overlap = DAY }) {
		const api_key = createApiKey();
		const rolled = accepted(await call(broker, 'accounts.rollKey', { key_id, hash: hashApiKey(api_key), overlap }));
		return { data: { ...rolled, api_key }, text: newKeyText(api_key, [rolled.old, rolled.new]) };
	},
});
