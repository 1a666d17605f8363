import { WebhookSender } from '../../../services/notifications/webhooks/outbound/send.ts';

/** A process that makes one attempt at the URL in its arguments and prints it; it has an environment of its own. */
const [url = ''] = process.argv.slice(2);
const sender = new WebhookSender({ allowPrivate: true, lookup: async () => ['127.0.0.1'] });
process.stdout.write(JSON.stringify(await sender.send({ url, headers: {}, body: '{}' })));
