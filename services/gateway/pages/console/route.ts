import { computed, signal } from '@preact/signals';

/** The pages that there are; the first is shown where the address names none. */
export const PAGES = [
	'calendar',
	'bookings',
	'schedule',
	'closures',
	'feeds',
	'customers',
	'activity',
	'webhooks',
	'usage',
] as const;
export type PageName = (typeof PAGES)[number];

/** What is open, by the part of the address behind `#`: `#/calendar?service=7&booking=42`. No key is ever in it. */
const address = signal(location.hash);
addEventListener('hashchange', () => {
	address.value = location.hash;
});

export const route = computed(() => {
	const [path = '', query = ''] = address.value.replace(/^#\/?/, '').split('?');
	const page = PAGES.find((name) => name === path) ?? PAGES[0];
	return { page, params: Object.fromEntries(new URLSearchParams(query)) };
});

/** @param params those that are undefined are left out */
export function href(page: PageName, params: Record<string, string | number | undefined> = {}): string {
	const given = Object.entries(params).filter(([, value]) => value !== undefined);
	const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
	return given.length === 0 ? `#/${page}` : `#/${page}?${query}`;
}

export function go(page: PageName, params: Record<string, string | number | undefined> = {}): void {
	location.hash = href(page, params);
}

/** Changes some parameters of the page that is open; undefined takes one off. */
export function adjust(params: Record<string, string | number | undefined>): void {
	go(route.value.page, { ...route.value.params, ...params });
}

/** A parameter that is an id */
export function idIn(name: string): number | undefined {
	const id = Number(route.value.params[name]);
	return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

/** A parameter that is a date: one that there is not is none */
export function dateIn(name: string): string | undefined {
	const text = route.value.params[name] ?? '';
	const date = new Date(`${text}T00:00:00Z`);
	return /^\d{4}-\d\d-\d\d$/.test(text) && date.toJSON()?.startsWith(text) ? text : undefined;
}
