import { Impact } from './impact.ts';
import { Metadata, MetadataChange } from './metadata.ts';
import { Pagination } from './pagination.ts';
import { Provider } from './provider.ts';
import { Rules, RulesChange } from './rules.ts';
import { ExpectedVersion, Id, Name, Nullable, type Static, Text, Timestamp, Type, Version } from './schema.ts';
import { TimeSlotInput } from './time-slot.ts';

const ServiceName = Name(72, { description: 'Name, at most 72 characters', examples: ['Piano lesson'] });
const Description = Nullable(Text(255), {
	description: 'At most 255 characters',
	examples: ['45 minutes, all levels'],
});
export const TimeZone = Type.String({
	format: 'time-zone',
	minLength: 1,
	maxLength: 64,
	description: 'IANA name',
	examples: ['Europe/Berlin'],
});

export const Service = Type.Object({
	id: Id('Service'),
	name: ServiceName,
	description: Description,
	timezone: TimeZone,
	rules: Rules,
	metadata: Metadata,
	bookings_count: Type.Integer({ minimum: 0, description: 'Bookings that are not cancelled' }),
	provider: Provider,
	provider_id: Type.String(),
	version: Version,
	created_at: Timestamp('When it was made'),
	updated_at: Timestamp('When it was last changed'),
});
export type Service = Static<typeof Service>;

export const CreateService = Type.Object({
	name: ServiceName,
	description: Type.Optional(Description),
	timezone: TimeZone,
	rules: Type.Optional(RulesChange),
	metadata: Type.Optional(Metadata),
	time_slots: Type.Optional(Nullable(Type.Array(TimeSlotInput, { maxItems: 500 }), { description: 'At most 500' })),
});
export type CreateService = Static<typeof CreateService>;

export const UpdateService = Type.Object({
	name: Type.Optional(ServiceName),
	description: Type.Optional(Description),
	timezone: Type.Optional(TimeZone),
	rules: Type.Optional(RulesChange),
	metadata: Type.Optional(MetadataChange),
	version: Type.Optional(ExpectedVersion),
});
export type UpdateService = Static<typeof UpdateService>;

/** What a dry run answers: the service as it would be. */
export const ServicePreview = Type.Object({ ...Service.properties, impact: Impact });

export const ServiceList = Type.Object({ services: Type.Array(Service), pagination: Pagination });
export type ServiceList = Static<typeof ServiceList>;
