import type { Attributes } from '@opentelemetry/api';
import { eachOperation } from '../store/each-operation.ts';
import type { Store } from '../store/store.ts';
import type { Tracing } from './tracing.ts';

/**
 * A span for each operation of the store, named as OpenTelemetry's conventions for databases say. Filters and documents
 * stay out: they are the customers' data. To be called before any model is made.
 */
export function traceStore({ form, connection }: Store, tracing: Tracing): void {
	const client = form === 'cluster' ? ({ kind: 'client' } as const) : {};
	const system = systemOf(form, connection.host, connection.port);
	eachOperation(connection, (collection, operation, run) => {
		if (tracing.current() === undefined) return run();
		const attributes = { ...system, 'db.operation.name': operation, 'db.collection.name': collection };
		return tracing.span(`${operation} ${collection}`, { ...client, attributes }, run);
	});
}

function systemOf(form: Store['form'], host: string, port: number): Attributes {
	if (form === 'embedded') return { 'db.system.name': 'sqlite' };
	return { 'db.system.name': 'mongodb', 'server.address': host, 'server.port': port };
}
