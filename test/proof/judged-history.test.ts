import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { judgedHistory } from './judged-history.ts';
import { DATE, Story } from './story.ts';

const NEXT = '2027-01-11';
const FULL = 'time slot is full';

const directory = mkdtempSync(join(tmpdir(), 'slotwise-judge-'));
const judge = join(directory, 'judge');
const source = join(import.meta.dirname, '../judge');
const hasGo = spawnSync('go', ['mod', 'download'], { cwd: source }).status === 0;
const suite = hasGo ? describe : describe.skip;

/** What Porcupine refuses of a history, by object. */
function refused(story: Story): string[] {
	const file = join(directory, 'history.jsonl');
	writeFileSync(file, judgedHistory(story.end()));
	const { stdout, status } = spawnSync(judge, [file], { encoding: 'utf8' });
	const found = [...stdout.matchAll(/^ {2}refused: (.*)$/gm)].map(([, object]) => object!);
	expect(status).toBe(found.length > 0 ? 1 : 0);
	return found;
}

const PLACE = `occurrence story/7 on ${DATE}`;

suite(`A checker that others wrote${hasGo ? '' : ' (skipped: no Go, or not its library)'}`, () => {
	beforeAll(() => {
		execFileSync('go', ['build', '-o', judge, '.'], { cwd: source });
	});
	afterAll(() => rmSync(directory, { recursive: true, force: true }));

	const bookings = (max: number) => new Story(max).make(1, [10, 20]);

	test.each<[string, Story]>([
		['places are taken, given up and taken again', bookings(1).delete(1, [30, 40]).make(2, [41, 50])],
		['a place is given up while the next one takes it', bookings(1).delete(1, [30, 40]).make(2, [35, 50])],
		['a slot is full', bookings(1).refuse([15, 40], FULL)],
		['what nobody was told of filled it', new Story(1).make(1, [10, Number.POSITIVE_INFINITY]).refuse([15, 40], FULL)],
		['a booking moves', bookings(1).change(1, [30, 40], { date: NEXT }).make(2, [41, 50])],
		['a maximum was changed, so nobody knows', bookings(1).setMaximum(2, [22, 25]).make(2, [30, 40])],
		[
			'a booking is read beside its change',
			bookings(1).look(1, [21, 22]).change(1, [23, 30], { message: 'b' }).look(1, [31, 32]),
		],
	])('SIM5: When %s, then it refuses nothing', (_, story) => {
		expect(refused(story)).toEqual([]);
	});

	const old = () => {
		const story = bookings(1);
		return { story, before: story.bookings.get(1)! };
	};

	test.each<[string, string, () => Story]>([
		['two are in a slot of one', PLACE, () => bookings(1).make(2, [30, 40])],
		['two are there for an instant only', PLACE, () => bookings(1).make(2, [30, 40]).delete(1, [40.01, 50])],
		['it is full, and a place was given up', PLACE, () => bookings(1).delete(1, [30, 40]).refuse([41, 50], FULL)],
		['it is full before anybody came', PLACE, () => new Story(1).refuse([4, 9], FULL).make(1, [10, 20])],
		[
			'one comes back to a place that is taken',
			PLACE,
			() => bookings(1).change(1, [30, 40], { date: NEXT }).make(2, [41, 50]).change(1, [51, 60], { date: DATE }),
		],
		[
			'an old version is shown after a new one',
			'booking story/1',
			() => {
				const { story, before } = old();
				return story.change(1, [30, 40], { message: 'b' }).look(1, [41, 50], before);
			},
		],
		[
			'one version has two contents',
			'booking story/1',
			() => {
				const { story, before } = old();
				return story.look(1, [30, 40], { ...before, message: 'another' });
			},
		],
		[
			'a change is lost',
			'booking story/1',
			() => {
				const { story, before } = old();
				story.change(1, [30, 40], { message: 'b' });
				story.bookings.set(1, before);
				return story.change(1, [41, 50], { message: 'c' }).look(1, [51, 60]);
			},
		],
		[
			'a deleted one is shown',
			'booking story/1',
			() => {
				const { story, before } = old();
				return story.delete(1, [30, 40]).look(1, [41, 50], before);
			},
		],
		[
			'one is missing that nobody deleted',
			'booking story/1',
			() => {
				const { story, before } = old();
				story.bookings.delete(1);
				story.look(1, [30, 40]);
				story.bookings.set(1, before);
				return story;
			},
		],
	])('SIM5: When %s, then it refuses that', (_, object, story) => {
		expect(refused(story())).toEqual([object]);
	});
});
