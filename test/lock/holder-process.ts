import { once } from 'node:events';
import type { AccountKey } from '../../shared/contract/actions/common.ts';
import { redisFairLock } from '../../shared/lock/redis-fair-lock.ts';
import { keyOf } from '../support/account-keys.ts';

/** A process that waits for one place when told, and releases it when told: `node holder-process.ts <url> <place> <ttl>`. */
const [url = '', place = '', ttl = ''] = process.argv.slice(2);
const lock = redisFairLock({ url, namespace: 'test', ttl: Number(ttl), maxWait: 30_000, answerWithin: 5000 });
await (await lock.acquire(keyOf('warm-up')))?.release();
process.send!('ready');
await once(process, 'message');
const lease = await lock.acquire(place as AccountKey);
process.send!({ remaining: lease?.remaining() });
await once(process, 'message');
process.send!({ ours: await lease?.release() });
