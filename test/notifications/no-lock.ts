import { localPlaceLock, type PlaceLock } from '../../shared/lock/place-lock.ts';

/** The lock of a world in which Redis is gone: everybody goes on without it. */
export const noLock: PlaceLock = { ...localPlaceLock(), acquire: async () => undefined };
