/** What kept a message from being delivered, in words for the customer: short, and nothing of our own network in it. */
export class DeliveryFailure extends Error {}

/** The target may not be used. */
export class TargetRefused extends DeliveryFailure {
	/** To be read after "the URL" or `url:` */
	readonly fault: string;

	constructor(fault: string) {
		super(`the URL ${fault}`);
		this.fault = fault;
	}
}

const TEXTS: Record<string, string> = {
	ECONNREFUSED: 'the connection was refused',
	ECONNRESET: 'the connection was closed before the answer was complete',
	EPIPE: 'the connection was closed before the answer was complete',
	ETIMEDOUT: 'the server could not be reached',
	EHOSTUNREACH: 'the server could not be reached',
	ENETUNREACH: 'the server could not be reached',
	EADDRNOTAVAIL: 'the server could not be reached',
	CERT_HAS_EXPIRED: 'the TLS certificate has expired',
	CERT_NOT_YET_VALID: 'the TLS certificate is not valid yet',
	CERT_REVOKED: 'the TLS certificate was revoked',
	ERR_TLS_CERT_ALTNAME_INVALID: 'the TLS certificate is not for this host name',
	DEPTH_ZERO_SELF_SIGNED_CERT: 'the TLS certificate is self-signed',
	SELF_SIGNED_CERT_IN_CHAIN: 'the TLS certificate is not from a trusted authority',
	UNABLE_TO_GET_ISSUER_CERT: 'the TLS certificate is not from a trusted authority',
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the TLS certificate is not from a trusted authority',
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the TLS certificate is not from a trusted authority, or its chain is incomplete',
	HPE_HEADER_OVERFLOW: "the answer's headers are too large",
};

/** What went wrong, for the customer's eyes. */
export function failureText(error: unknown): string {
	if (error instanceof DeliveryFailure) return error.message;
	const code = String((error as NodeJS.ErrnoException).code ?? '');
	if (Object.hasOwn(TEXTS, code)) return TEXTS[code]!;
	if (code.startsWith('HPE_')) return 'the answer is not valid HTTP';
	if (code === 'EPROTO' || code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return 'TLS failed';
	if (code.includes('CERT') || code.includes('CRL')) return 'the TLS certificate is not valid';
	return 'the request failed';
}
