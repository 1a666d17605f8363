import { accountsCreate } from './commands/accounts-create.ts';
import { accountsList } from './commands/accounts-list.ts';
import { accountsSet } from './commands/accounts-set.ts';
import { accountsShow } from './commands/accounts-show.ts';
import { accountsResume, accountsSuspend } from './commands/accounts-suspend.ts';
import { audit } from './commands/audit.ts';
import { eventsTail } from './commands/events-tail.ts';
import { keysCreate } from './commands/keys-create.ts';
import { keysList } from './commands/keys-list.ts';
import { keysRevoke } from './commands/keys-revoke.ts';
import { keysRoll } from './commands/keys-roll.ts';
import { log } from './commands/log.ts';
import { packagesList } from './commands/packages-list.ts';
import { packagesSet } from './commands/packages-set.ts';
import { slotsShow } from './commands/slots-show.ts';
import { status } from './commands/status.ts';
import { usage } from './commands/usage.ts';
import { webhooksDeliveries, webhooksEnable, webhooksList, webhooksRedeliver } from './commands/webhooks.ts';
import type { Command } from './line/command.ts';

/** THE TABLE of the operators' commands. The command line and the REPL have the same ones, and read them by one rule. */
export const commands: readonly Command[] = [
	...[accountsList, accountsShow, accountsCreate, accountsSet, accountsSuspend, accountsResume],
	...[keysList, keysCreate, keysRevoke, keysRoll],
	...[packagesList, packagesSet],
	usage,
	slotsShow,
	audit,
	eventsTail,
	...[webhooksList, webhooksDeliveries, webhooksRedeliver, webhooksEnable],
	log,
	status,
];
