/** The part of autocannon that is used here; it brings no types. */
declare module 'autocannon' {
	export default function autocannon(options: {
		url: string;
		connections: number;
		/** Seconds, a whole number */
		duration: number;
	}): Promise<{ requests: { total: number }; duration: number }>;
}
