const formatter = new Intl.NumberFormat('en-GB');

/** 10,000 */
export function grouped(number: number): string {
	return formatter.format(number);
}
