import type { Server } from 'node:http';
import type { ServiceBroker } from 'moleculer';
import type { Config } from '../config/config.ts';
import { addressOf } from './admin-server.ts';

interface Accounts {
	takeDemoKey(): string | undefined;
}

/** What a person needs who has just started Slotwise: the address, and at the first start a key and a line to try. */
export function greet(broker: ServiceBroker, config: Config): void {
	const gateway = broker.getLocalService('gateway') as unknown as { server: Server } | undefined;
	const accounts = broker.getLocalService('accounts') as unknown as Accounts | undefined;
	const url = gateway && addressOf(gateway.server);
	const key = accounts?.takeDemoKey();
	const lines = [
		...(key === undefined
			? []
			: [`Demo account on the Developer package. Its API key is shown only this once:\n\n  ${key}\n`]),
		...(key === undefined || url === undefined
			? []
			: [`Make a first service with a time slot:\n\n${firstCall(url, key)}\n`]),
		...(url === undefined || (key === undefined && config.logFormat === 'json')
			? []
			: [`API ${url}/v1, reference ${url}/docs\n`]),
	];
	if (lines.length > 0) process.stdout.write(`\n${lines.join('\n')}\n`);
}

function firstCall(url: string, key: string): string {
	const slot = '{"day_of_week":1,"start_time":"2026-01-05 09:00:00","end_time":"2026-01-05 10:00:00","max_bookings":4}';
	return [
		`  curl -s ${url}/v1/services -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\`,
		`    -d '{"name":"Piano lesson","timezone":"Europe/Berlin","time_slots":[${slot}]}'`,
	].join('\n');
}
