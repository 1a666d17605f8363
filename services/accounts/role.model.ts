import { type Connection, type Model, Schema } from 'mongoose';
import type { Role } from '../../shared/contract/schemas/provider.ts';
import { schemaOptions } from '../../shared/store/schema-options.ts';

export interface RoleRow extends Omit<Role, 'id'> {
	_id: number;
}

const roleSchema = new Schema<RoleRow>(
	{
		_id: { type: Number, required: true },
		name: { type: String, required: true },
		description: { type: String, required: true },
		level: { type: Number, required: true },
	},
	schemaOptions,
);
roleSchema.index({ name: 1 }, { unique: true });

export function roleModel(connection: Connection): Model<RoleRow> {
	return connection.model<RoleRow>('Role', roleSchema, 'roles');
}

/** What the API shows of a role. */
export function toRole({ _id, ...shown }: RoleRow): Role {
	return { id: _id, ...shown };
}
