import { hostname, userInfo } from 'node:os';
import type { CallingOptions, ServiceBroker } from 'moleculer';
import type { OperatorMeta } from '../../shared/contract/account-reports.ts';

/**
 * Who gives a command, for the operator log: what `OPERATOR` says, or the system's user and host. It is what the command
 * line says of itself: whoever may use it may say another name.
 */
export function operatorName({ operator }: { operator?: string | undefined } = {}): string {
	return operator ?? `${userName()}@${hostname()}`;
}

/** In a container the user often has no name. */
function userName(): string {
	try {
		return userInfo().username;
	} catch {
		return String(process.getuid?.() ?? 'unknown');
	}
}

/** The same broker, whose calls say who makes them. */
export function asOperator(broker: ServiceBroker, operator: string): ServiceBroker {
	const call = (action: string, params: unknown, options?: CallingOptions) => {
		const meta = { ...options?.meta, operator } satisfies OperatorMeta;
		return broker.call(action, params, { ...options, meta });
	};
	return Object.create(broker, { call: { value: call } }) as ServiceBroker;
}
