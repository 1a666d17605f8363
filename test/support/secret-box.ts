import { SecretBox } from '../../shared/secrets/secret-box.ts';

/** For services that a test starts by itself. */
export const secretBox = new SecretBox([Buffer.alloc(32, 7)]);
