export type * from './api.ts';
export { type CallOptions, createClient, type FeedOptions, type Slotwise } from './client.ts';
export { type Alternative, type Code, ConnectionError, type Fault, SlotwiseError } from './errors.ts';
export type { ClientOptions } from './send.ts';
export {
	type VerifyOptions,
	verifyWebhook,
	type WebhookEvent,
	type WebhookHeaders,
	WebhookVerificationError,
} from './verify-webhook.ts';
