/** A small mistake: one place of the product's text becomes another one. */
export interface Mutation {
	file: string;
	from: string;
	to: string;
	/** What is wrong then */
	about: string;
}

export const mutation = (file: string, from: string, to: string, about: string): Mutation => ({
	file,
	from,
	to,
	about,
});
