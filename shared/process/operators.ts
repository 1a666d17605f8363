import type { ServiceBroker } from 'moleculer';
import type { Logger } from '../log/log.ts';

/** How operators reach a running process; `ops/` has both, and `main.ts` hands them over. */
export interface Operators {
	/** Takes commands for an embedded process. @returns undefined where it cannot; the log says why */
	serveCommands(dataDir: string, broker: ServiceBroker, logger: Logger): Promise<CommandServer | undefined>;
	/** @param stop ends the process; called on Ctrl+D and `exit` */
	startRepl(broker: ServiceBroker, namespace: string, stop: () => Promise<void>): Promise<void>;
}

export interface CommandServer {
	close(): void;
}
