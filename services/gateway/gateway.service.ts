import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Context, ServiceSchema, ServiceSettingSchema } from 'moleculer';
import Web from 'moleculer-web';
import { ACCOUNTS_CHANGED, type AccountsChanged } from '../../shared/contract/actions/accounts.ts';
import type { Handlers } from '../../shared/contract/actions.ts';
import type { RateLimiter } from '../../shared/limiter/bucket.ts';
import { openRateLimiter } from '../../shared/limiter/open-rate-limiter.ts';
import { limiterMetrics, RequestMetrics } from '../../shared/metrics/gateway-metrics.ts';
import { addressOf } from '../../shared/process/admin-server.ts';
import type { ServiceFactory } from '../../shared/process/dependencies.ts';
import { Running } from '../../shared/work/running.ts';
import { AccountTurns } from './admission/account-turns.ts';
import { Admission, overloadRefusalTeller } from './admission/admission.ts';
import { HeldMemory } from './admission/held-memory.ts';
import { LargeAnswers } from './admission/large-answers.ts';
import { LongAnswers } from './admission/waiting-line.ts';
import { Authenticator } from './authentication/authenticate.ts';
import { ScopeRefusals } from './authentication/authorize.ts';
import { ClientAddress } from './authentication/client-address.ts';
import { FailedAuthentication } from './authentication/failed-authentication.ts';
import { FeedAccess } from './calendar/feed-access.ts';
import { operations } from './operations/index.ts';
import { pages } from './pages/pages.ts';
import { Cors } from './pipeline/cors.ts';
import { Pipeline } from './pipeline/pipeline.ts';
import { Quota, RequestCounts } from './quota/quota.ts';
import { QuotaRecorder } from './quota/quota-recorder.ts';
import { RateLimit } from './quota/rate-limit.ts';
import { createHttpServer } from './server/http-server.ts';
import { drain, listen, tellDropped } from './server/listening.ts';

/**
 * moleculer-web hosts the HTTP server: it makes it by its method `createServer` and hands each request to its method
 * `httpHandler`. Both are replaced. Its own way of a request costs a third of the throughput (a context of its own, a
 * regular expression per alias, qs, body parsers, three log lines) and answers what the contract does not allow: 404
 * for a wrong method and for a dead backend, errors with internals, CORS by substring. Left out are its `started`,
 * which ends the process with a stack where the port is in use, and its actions, by which anybody on the bus could
 * change routes.
 */
const { started: _started, actions: _actions, events: _events, ...web } = Web as ServiceSchema;

/** ms */
const TELL_REFUSALS_EVERY = 10_000;

/** HTTP in, HTTP out: no business rule, no database. */
export const gatewayService: ServiceFactory = ({ config, clock, readiness, metrics, durable, logger: parent }) => {
	const logger = parent.child({ module: 'gateway' });
	const requests = new Running();
	const admission = new Admission(clock);
	const memory = new HeldMemory();
	const large = new LargeAnswers();
	const turns = new AccountTurns();
	let server: Server;
	let pipeline: Pipeline;
	let limiter: RateLimiter;
	let failedAuthentication: FailedAuthentication;
	let recorder: QuotaRecorder;
	let authenticator: Authenticator;
	let scopeRefusals: ScopeRefusals;
	let scopeRefusalsTimer: NodeJS.Timeout | undefined;
	let drained: Promise<void> | undefined;

	const stop = () => {
		drained ??= drain(server, requests).then(() => recorder.stop());
		return drained;
	};

	const actions: Handlers<'gateway'> = {
		limits: async () => ({ rate: { ...limiter.stats }, failed_authentication: failedAuthentication.stats }),
	};

	return {
		name: 'gateway',
		mixins: [web],
		actions,
		settings: { routes: null } as ServiceSettingSchema, // the table of operations has them
		created() {
			authenticator = new Authenticator(this.broker, clock);
			scopeRefusals = new ScopeRefusals(this.broker, clock, logger);
			limiter = openRateLimiter(config, clock, logger);
			failedAuthentication = new FailedAuthentication(new ClientAddress(config.trustProxy), clock);
			limiterMetrics(metrics, limiter.stats, () => failedAuthentication.stats);
			const counts = new RequestCounts(clock);
			recorder = new QuotaRecorder(counts, this.broker, logger);
			// Where everything stops, accounts is gone when the last request is answered.
			readiness.onStopping(() => void recorder.record());
			metrics.counter('requests_refused_total', 'Requests refused at once: more came than can be served', () => {
				return admission.refused + turns.refused;
			});
			metrics.gauge('slow_clients_bytes', 'Answers and bodies that wait for slow clients', () => {
				return memory.bytes + large.bytes;
			});
			metrics.counter('slow_clients_cut_total', 'Requests that ended because slow clients kept too much', () => {
				return memory.dropped + large.dropped;
			});
			pipeline = new Pipeline({
				operations,
				pages: pages(operations, readiness),
				caller: this.broker,
				authenticator,
				failedAuthentication,
				feedAccess: new FeedAccess(this.broker, limiter, failedAuthentication, clock),
				clock,
				scopeRefusals,
				rateLimit: new RateLimit(limiter),
				quota: new Quota(counts, clock),
				recorder,
				cors: new Cors(config.corsOrigins),
				logger,
				requests,
				admission,
				memory,
				large,
				turns,
				long: new LongAnswers(),
				durable,
				tellOverloadRefusal: overloadRefusalTeller(clock, logger),
				metrics: new RequestMetrics(metrics, () => requests.count),
				isStopping: () => readiness.isStopping || drained !== undefined,
				// Not earlier: whoever is sent away comes back with a new connection, and one that waits to be accepted
				// when listening ends is reset.
				isDraining: () => drained !== undefined,
			});
			// The broker stops all services at once; this hook runs before, so that running requests still find them.
			this.broker.middlewares.add({ name: 'GatewayDrain', stopping: stop });
		},
		methods: {
			createServer() {
				server = createHttpServer(this.httpHandler, (head) => pipeline.refusePlain(head));
				this.server = server;
			},
			httpHandler(request: IncomingMessage, response: ServerResponse) {
				pipeline.handle(request, response);
			},
		},
		events: {
			[ACCOUNTS_CHANGED]: ({ params }: Context<AccountsChanged>) => authenticator.forget(params),
		},
		async started() {
			server.removeAllListeners('error'); // moleculer-web's ends the process
			recorder.start();
			await listen(server, config.host, config.port);
			server.on('error', (error) => logger.error({ err: error }, 'connection not accepted')); // for example because no open file is left
			tellDropped(server, clock, logger);
			scopeRefusalsTimer = setInterval(() => void scopeRefusals.tellDue(), TELL_REFUSALS_EVERY).unref();
			logger.info({ url: addressOf(server) }, 'listening');
		},
		async stopped() {
			clearInterval(scopeRefusalsTimer);
			await stop();
			limiter.close();
		},
	};
};
