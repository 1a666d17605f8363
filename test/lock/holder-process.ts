import { once } from 'node:events';
import { redisPlaceLock } from '../../shared/lock/place-lock.ts';

/** A process that, when told, waits for one place and then holds it: `node holder-process.ts <url> <place> <ttl>`. */
const [url = '', place = '', ttl = ''] = process.argv.slice(2);
const lock = redisPlaceLock({ url, namespace: 'test', ttl: Number(ttl), maxWait: 30_000, answerWithin: 5000 });
await (await lock.acquire('warm-up'))?.release();
process.send!('ready');
await once(process, 'message');
const lease = await lock.acquire(place);
process.send!({ remaining: lease?.remaining() });
