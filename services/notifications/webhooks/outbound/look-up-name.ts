/**
 * All addresses of a name, IPv4 and IPv6; [] where it has none.
 * @throws where that cannot be found out
 */
export type LookUpName = (name: string, signal: AbortSignal) => Promise<string[]>;
