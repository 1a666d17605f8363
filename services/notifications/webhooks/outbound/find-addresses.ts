import { DeliveryFailure, TargetRefused } from './delivery-failure.ts';
import { askNameServers, askSystem, type LookUpName } from './look-up-name.ts';
import { isPublicAddress } from './public-address.ts';
import { NOT_PUBLIC, type Target } from './read-target.ts';

export interface TargetRules {
	/** Allows http and addresses that are not public (WEBHOOK_ALLOW_PRIVATE) */
	allowPrivate: boolean;
	/** Default: the name servers, or where private addresses are allowed the system's resolver */
	lookup?: LookUpName;
}

/**
 * The addresses that a target leads to now, each of them allowed: a name that has one public and one private address is
 * refused, for the customer decides which of them a connection takes.
 *
 * @throws TargetRefused, or DeliveryFailure where there is none
 */
export async function findAddresses(target: Target, rules: TargetRules, signal: AbortSignal): Promise<string[]> {
	if (target.isAddress) return [target.host]; // judged when it was read
	const lookup = rules.lookup ?? (rules.allowPrivate ? askSystem : askNameServers());
	const addresses = await lookup(target.host, signal).catch((error: unknown) => {
		throw new DeliveryFailure('the host name could not be looked up', { cause: error });
	});
	if (!rules.allowPrivate && !addresses.every(isPublicAddress)) throw new TargetRefused(NOT_PUBLIC);
	if (addresses.length === 0) throw new DeliveryFailure('the host name does not resolve');
	return addresses;
}
