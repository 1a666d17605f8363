import type { ProductProcess } from '../test/support/product-process.ts';
import { memoryOf } from './processes.ts';

const MB = 1_000_000;

export interface MemorySample {
	/** Since the start */
	minute: number;
	/** Resident, MB */
	rss: number;
	/** Of JavaScript, MB, what is no longer used included */
	heap: number;
}

/** What a process says of its memory, and what the system says. */
export async function memoryOfProcess({ pid, adminUrl }: ProductProcess, minute: number): Promise<MemorySample> {
	const text = await (await fetch(`${adminUrl}/metrics`)).text();
	const heap = Number(/^nodejs_heap_size_used_bytes(?:\{[^}]*\})? (\S+)$/m.exec(text)?.[1]) / MB;
	return { minute, rss: (memoryOf([pid]) * 2 ** 20) / MB, heap };
}
