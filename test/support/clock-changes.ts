/** Zones whose clocks change in ways of their own. */
export const ZONES = [
	'Pacific/Apia', // skipped a day
	'Pacific/Kwajalein',
	'Europe/Berlin',
	'Europe/Dublin', // winter is what it saves
	'America/New_York',
	'America/St_Johns',
	'America/Sao_Paulo', // changed at midnight
	'America/Scoresbysund',
	'Australia/Lord_Howe', // changes by half an hour
	'Africa/Casablanca',
	'Africa/Cairo',
	'Asia/Beirut',
	'Asia/Tehran',
	'Asia/Kathmandu',
	'Pacific/Chatham',
	'Antarctica/Troll', // changes by two hours
	'UTC',
];

/** Each begins a week in which clocks change somewhere, or a year or a calendar has an edge. */
export const WEEKS = [
	'2011-12-26',
	'2027-03-10',
	'2027-03-26',
	'2027-04-01',
	'2027-09-24',
	'2027-10-01',
	'2027-10-29',
	'2027-11-05',
	'2018-11-01',
	'1993-08-18',
	'2028-02-26',
	'2100-02-26',
	'2026-12-28',
	'9999-12-22',
];

/** min */
const LENGTHS = [1, 15, 30, 60, 90, 120, 600, 1439, 1440, 2000];

interface Draws {
	chance(probability: number): boolean;
	index(limit: number): number;
	pick<T>(values: readonly T[]): T;
}

/** Start and end of a slot; most begin in the hours in which clocks change. */
export function drawTimes(random: Draws): { start_time: string; end_time: string } {
	const hour = random.chance(0.6) ? random.index(4) : random.index(24);
	const start = Date.UTC(2026, 0, 5, hour, random.pick([0, 15, 30, 45, 59]), random.pick([0, 59]));
	return { start_time: text(start), end_time: text(start + random.pick(LENGTHS) * 60_000) };
}

function text(ms: number): string {
	return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}
