import { Calendar as FullCalendar } from 'fullcalendar';
import dayGrid from 'fullcalendar/daygrid';
import interaction from 'fullcalendar/interaction';
import list from 'fullcalendar/list';
import type { CalendarOptions, EventApi, EventInput } from 'fullcalendar/public-api';
import theme from 'fullcalendar/themes/classic';
import timeGrid from 'fullcalendar/timegrid';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { longDate, now } from '../times.ts';
import { showEvents } from './show-events.ts';

export type View = 'timeGridWeek' | 'dayGridMonth' | 'listWeek';

/** What is dropped, and how to put it back */
export interface Drop {
	event: EventApi;
	/** Where to, as the clock of the service shows it: `2026-11-23T09:00:00` */
	to: string;
	putBack: () => void;
}

interface Props {
	label: string;
	view: View;
	/** A date in the range that is shown */
	date: string;
	timezone: string;
	events: EventInput[];
	isEditable: boolean;
	/** Hours of the day that are shown in a week */
	hours: { from: string; to: string };
	/** Minutes of a row of it */
	grain: number;
	empty: string;
	content: (event: EventApi, view: string) => VNode;
	onRange: (range: { from: string; to: string; title: string }) => void;
	onOpen: (event: EventApi) => void;
	onDrop: (drop: Drop) => void;
}

/**
 * FullCalendar, given wall-clock times of the service as if they were UTC: so it shows what the clock there shows, and needs
 * no data about time zones. Its own toolbar is left out, for ours has more in it.
 */
export function Calendar(props: Props): VNode {
	const place = useRef<HTMLElement>(null);
	const calendar = useRef<FullCalendar>();
	const dragging = useRef<'no' | 'yes' | 'missing something'>('no');
	const latest = useRef(props);
	latest.current = props;
	const { view, date, events, isEditable, hours, grain, label } = props;

	useEffect(() => {
		const box = place.current!;
		apart(() => {
			const made = new FullCalendar(box, optionsFor(latest));
			calendar.current = made;
			// What is read meanwhile would take away what is being dragged.
			made.on('eventDragStart', () => {
				dragging.current = 'yes';
			});
			made.on('eventDragStop', () => {
				if (dragging.current === 'missing something') setTimeout(() => showEvents(made, latest.current.events));
				dragging.current = 'no';
			});
			made.on('eventDrop', ({ event }) => {
				const putBack = () => showEvents(made, latest.current.events);
				latest.current.onDrop({ event, to: event.startStr.slice(0, 19), putBack });
			});
			made.render();
		});
		return () => apart(() => calendar.current!.destroy());
	}, []);
	useEffect(() => apart(() => calendar.current!.changeView(view, date)), [view, date]);
	useEffect(() => apart(() => calendar.current!.setOption('editable', isEditable)), [isEditable]);
	useEffect(
		() =>
			apart(() => {
				calendar.current!.setOption('slotMinTime', hours.from);
				calendar.current!.setOption('slotMaxTime', hours.to);
			}),
		[hours.from, hours.to],
	);
	useEffect(() => apart(() => calendar.current!.setOption('slotDuration', { minutes: grain })), [grain]);
	useEffect(
		() =>
			apart(() => {
				if (dragging.current === 'no') showEvents(calendar.current!, events);
				else dragging.current = 'missing something';
			}),
		[events],
	);

	return <section ref={place} class="calendar" aria-label={label} />;
}

/** FullCalendar draws at once, by the same Preact: within an effect that would run the effects that are being run. */
function apart(work: () => void): void {
	queueMicrotask(work);
}

/** FullCalendar names some of its cells without what is in them, hides what would name them, and calls buttons a list. */
const TOLD_TO_SCREEN_READERS: CalendarOptions = {
	dayHeaderDidMount: ({ el }) => el.querySelector('[aria-hidden]')?.removeAttribute('aria-hidden'),
	dayCellDidMount: ({ el }) => {
		el.removeAttribute('aria-label');
		el.querySelector('[aria-hidden]')?.removeAttribute('aria-hidden');
	},
	eventDidMount: ({ el }) => {
		if (el.parentElement?.role === 'list') el.parentElement.role = 'group';
	},
	viewDidMount: ({ el }) => {
		const corner = el.querySelector('[role=rowheader]:empty');
		corner?.removeAttribute('aria-label');
		corner?.setAttribute('role', 'presentation');
	},
};

function optionsFor(latest: { current: Props }): CalendarOptions {
	const { view, date, isEditable, hours, grain, timezone, empty } = latest.current;
	return {
		plugins: [dayGrid, timeGrid, list, interaction, theme],
		initialView: view,
		initialDate: date,
		timeZone: 'UTC',
		now: () => now(timezone),
		firstDay: 1,
		locale: 'en-gb',
		headerToolbar: false,
		height: 'auto',
		allDaySlot: false,
		slotMinTime: hours.from,
		slotMaxTime: hours.to,
		slotDuration: { minutes: grain },
		snapDuration: '00:15:00',
		expandRows: true,
		nowIndicator: true,
		dayMaxEvents: 4,
		eventMaxStack: 2,
		popoverClass: 'whole-day',
		slotEventOverlap: false,
		listItemEventBeforeClass: 'hidden',
		eventInteractive: true,
		editable: isEditable,
		eventDurationEditable: false,
		eventTimeFormat: { hour: '2-digit', minute: '2-digit', hour12: false },
		noEventsContent: empty,
		eventContent: ({ event, view: { type } }) => latest.current.content(event, type),
		dayCellTopContent: ({ text, date }) => (
			<>
				{text}
				<span class="hidden">{longDate(date.toISOString())}</span>
			</>
		),
		...TOLD_TO_SCREEN_READERS,
		eventClick: ({ event, jsEvent }) => {
			jsEvent.preventDefault();
			if (event.display !== 'background') latest.current.onOpen(event);
		},
		datesSet: ({ startStr, endStr, view: { title } }) => {
			latest.current.onRange({ from: startStr.slice(0, 10), to: endStr.slice(0, 10), title });
		},
	};
}
