import { expect } from '@jest/globals';
import type { Answer } from '../../ops/channel/execute.ts';
import { commands } from '../../ops/commands.ts';

const KEY = 'key_nothere';

/** Each command that names something, with something that is not there. */
const LINES = [
	['accounts show acc_nobody', 'account acc_nobody'],
	['accounts set acc_nobody --package Growth', 'account acc_nobody'],
	['accounts suspend acc_nobody', 'account acc_nobody'],
	['accounts resume acc_nobody', 'account acc_nobody'],
	['keys list acc_nobody', 'account acc_nobody'],
	['keys create acc_nobody --name till', 'account acc_nobody'],
	[`keys roll ${KEY}`, `key ${KEY}`],
	[`keys revoke ${KEY}`, `key ${KEY}`],
	['packages set Nothing --rate 1', 'package "Nothing"'],
	['usage acc_nobody', 'account acc_nobody'],
	['usage acc_nobody --month 2026-01', 'account acc_nobody'],
	['services list acc_nobody', 'account acc_nobody'],
	['slots show 99999 2026-03-16', 'time slot 99999'],
	['bookings show acc_nobody 1', 'account acc_nobody'],
	['audit 99999', 'service 99999'],
	['audit 99999 --repair', 'service 99999'],
	['events tail acc_nobody', 'account acc_nobody'],
	['events tail acc_nobody --limit 1', 'account acc_nobody'],
	['webhooks list acc_nobody', 'account acc_nobody'],
	['webhooks deliveries 99999', 'webhook 99999'],
	['webhooks redeliver 99999', 'delivery 99999'],
	['webhooks enable 99999', 'webhook 99999'],
	['log --account acc_nobody', 'account acc_nobody'],
	['log --account acc_nobody --since 24h', 'account acc_nobody'],
] as const;

/** Commands that name nothing, and `accounts create`, which names what is not there yet. */
const NAMELESS = [
	...['accounts list', 'accounts create', 'packages list', 'status', 'keys generate', 'secrets rewrap'],
	...['backup', 'restore-check', 'export', 'reopen', 'import'],
];

/** Each of them is refused: exit code 2 and one sentence, whether a person asks or a program. */
export async function expectUnknownRefused(ask: (words: string[]) => Promise<Answer>): Promise<void> {
	const tried = (name: string) => LINES.some(([line]) => `${line} `.startsWith(`${name} `));
	expect(
		commands
			.map(({ name }) => name)
			.filter((name) => !tried(name))
			.sort(),
	).toEqual([...NAMELESS].sort());
	const answers: Record<string, Answer> = {};
	const wanted: Record<string, unknown> = {};
	for (const [line, what] of LINES) {
		for (const form of [line, `${line} --json`]) {
			answers[form] = await ask(form.split(' '));
			wanted[form] = { exitCode: 2, error: expect.stringContaining(`There is no ${what}`) };
		}
	}
	expect(answers).toEqual(wanted);
}
