import type { BrokerOptions } from 'moleculer';
import { actionDeadlines, carryReading } from './shared/bus/call-context.ts';
import { ApiErrorRegenerator, errorBoundary } from './shared/bus/error-boundary.ts';
import { limitCalls } from './shared/bus/limit-calls.ts';
import { NatsTransporter } from './shared/bus/nats-transporter.ts';
import { reconnectPause } from './shared/bus/reconnect-pause.ts';
import type { Config } from './shared/config/config.ts';
import { BrokerLogger, type Logger } from './shared/log/log.ts';
import { DEFAULT_TIMEOUT } from './shared/work/deadline.ts';

/**
 * The broker's options: the only file that knows Moleculer's defaults and what is wrong with them.
 *
 * - No retries: a call that timed out may still have happened (a retried `booking.create` would book again).
 * - No circuit breaker: it would answer 503 for a healthy instance, for it cannot tell which one failed behind NATS.
 * - `disableBalancer`: NATS' own queue groups balance, so that a killed process gets no further call; Moleculer's
 *   balancer would send it some until its heartbeats are missed. It must be the same on all nodes.
 * - Validation is the gateway's: what arrives on the bus comes from our own processes.
 */
export function brokerOptions(config: Config, logger: Logger): BrokerOptions {
	return {
		namespace: config.namespace,
		logger: new BrokerLogger(logger),
		transporter: config.form === 'cluster' ? natsTransporter(config.natsUrl) : null,
		disableBalancer: config.form === 'cluster',
		serializer: 'JSON',
		errorRegenerator: new ApiErrorRegenerator(),
		requestTimeout: DEFAULT_TIMEOUT,
		retryPolicy: { enabled: false },
		circuitBreaker: { enabled: false },
		maxCallLevel: 10,
		heartbeatInterval: 1,
		heartbeatTimeout: 4,
		tracking: { enabled: true, shutdownTimeout: 10_000 },
		registry: { preferLocal: true, stopDelay: 500 },
		transit: { serviceChangedDebounceTime: 0 } as BrokerOptions['transit'], // its typing lacks it
		validator: false,
		internalMiddlewares: false,
		middlewares: [actionDeadlines(), carryReading(), errorBoundary(logger), limitCalls()],
		skipProcessEventRegistration: true, // run-process.ts owns the signals
	};
}

/** Several servers are separated by commas. Moleculer's own parsing of such a text keeps only the host of the first. */
function natsTransporter(urls: string): NatsTransporter {
	const servers = urls.split(',').map((url) => new URL(url));
	const [first] = servers;
	return new NatsTransporter({
		servers: servers.map((server) => server.host),
		...(first?.username ? { user: decodeURIComponent(first.username), pass: decodeURIComponent(first.password) } : {}),
		...(servers.some((server) => server.protocol === 'tls:') ? { tls: {} } : {}),
		maxReconnectAttempts: -1,
		reconnectDelayHandler: reconnectPause(),
		timeout: 2_000,
	});
}
