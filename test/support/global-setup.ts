import { type Form, type Product, startProduct } from './product.ts';
import { shareProduct } from './shared-product.ts';

declare global {
	var slotwiseProduct: Product | undefined;
}

const KEYS = { Unlimited: 2200, Starter: 90, Developer: 60, Growth: 60 };

/** One product for the whole run, in the form that `FORM` names. Each test takes an account of its own. */
export default async function setUp(): Promise<void> {
	const form: Form = process.env.FORM === 'cluster' ? 'cluster' : 'embedded';
	const counts = { booking: 3, gateway: 2 } as const;
	globalThis.slotwiseProduct = await startProduct({ form, keys: KEYS, counts });
	shareProduct(globalThis.slotwiseProduct);
}
