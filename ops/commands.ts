import {
	accountsCreate,
	accountsList,
	accountsResume,
	accountsSet,
	accountsShow,
	accountsSuspend,
} from './commands/accounts.ts';
import { audit } from './commands/audit.ts';
import { backup, restoreCheck } from './commands/backup.ts';
import { bookingsShow } from './commands/bookings-show.ts';
import { eventsTail } from './commands/events.ts';
import { exportAll, reopen } from './commands/export.ts';
import { importAll } from './commands/import.ts';
import { keysCreate, keysGenerate, keysList, keysRevoke, keysRoll } from './commands/keys.ts';
import { log } from './commands/log.ts';
import { packagesList, packagesSet } from './commands/packages.ts';
import { secretsRewrap } from './commands/secrets.ts';
import { servicesList } from './commands/services.ts';
import { slotsShow } from './commands/slots-show.ts';
import { status } from './commands/status.ts';
import { usage } from './commands/usage.ts';
import { webhooksDeliveries, webhooksEnable, webhooksList, webhooksRedeliver } from './commands/webhooks.ts';
import type { Command } from './line/command.ts';

/** THE TABLE of the operators' commands. The command line and the REPL have the same ones, and read them by one rule. */
export const commands: readonly Command[] = [
	...[accountsList, accountsShow, accountsCreate, accountsSet, accountsSuspend, accountsResume],
	...[keysList, keysCreate, keysRevoke, keysRoll, keysGenerate],
	...[packagesList, packagesSet],
	usage,
	servicesList,
	slotsShow,
	bookingsShow,
	audit,
	eventsTail,
	...[webhooksList, webhooksDeliveries, webhooksRedeliver, webhooksEnable],
	secretsRewrap,
	...[backup, restoreCheck],
	...[exportAll, reopen, importAll],
	log,
	status,
];
