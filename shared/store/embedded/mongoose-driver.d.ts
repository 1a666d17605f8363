/** The abstract classes that a mongoose driver extends. mongoose exports them by path only, and without types. */
declare module 'mongoose/lib/connection.js' {
	import type { EventEmitter } from 'node:events';
	import type { Model, Mongoose } from 'mongoose';

	export default class Connection extends EventEmitter {
		constructor(base: Mongoose);
		base: Mongoose;
		models: Record<string, Model<unknown>>;
		name: string;
		host: string;
		readyState: number;
		_hasOpened: boolean;
		_closeCalled: boolean;
		$initialConnection: Promise<this>;
		onOpen(): void;
		collection(name: string): unknown;
	}
}

declare module 'mongoose/lib/collection.js' {
	import type Connection from 'mongoose/lib/connection.js';

	export default class Collection {
		constructor(name: string, connection: Connection, options?: object);
		name: string;
		conn: Connection;
		buffer: boolean;
		onOpen(): void;
		onClose(): void;
	}
}
