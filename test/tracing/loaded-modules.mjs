import { registerHooks } from 'node:module';

/** To be imported before a program: prints each module of OpenTelemetry that it loads. `prom-client` loads the API. */
registerHooks({
	resolve(specifier, context, next) {
		const found = next(specifier, context);
		const [, name] = /@opentelemetry\/([a-z-]+)\//.exec(found.url) ?? [];
		if (name !== undefined && name !== 'api') process.stdout.write(`loaded @opentelemetry/${name}\n`);
		return found;
	},
});
