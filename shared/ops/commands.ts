import type { Command } from './command.ts';
import { audit } from './commands/audit.ts';
import { slotsShow } from './commands/slots-show.ts';
import { status } from './commands/status.ts';

/** THE TABLE of the operators' commands. The command line and the REPL have the same ones, and read them by one rule. */
export const commands: readonly Command[] = [slotsShow, audit, status];
