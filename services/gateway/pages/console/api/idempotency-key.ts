/** For one creation, however often it is sent. Not `randomUUID`, which browsers have for secure addresses only. */
export function newIdempotencyKey(): string {
	return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
