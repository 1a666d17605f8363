import type { Calendar } from 'fullcalendar';
import type { EventApi, EventInput } from 'fullcalendar/public-api';

/**
 * Makes the calendar show these events, each with an id. One that it shows already is changed rather than made anew, for
 * it may have the focus, or somebody's attention.
 */
export function showEvents(calendar: Calendar, events: EventInput[]): void {
	const missing = new Map(events.map((event) => [event.id!, event]));
	const shown = calendar.getEvents();
	const known = shown.filter(({ id }) => missing.has(id));
	calendar.batchRendering(() => {
		// Another range: one by one, each costs as much as all.
		if (known.length < events.length / 2) {
			calendar.removeAllEventSources();
			calendar.addEventSource(events);
			return;
		}
		for (const event of shown) {
			const wanted = missing.get(event.id);
			if (wanted === undefined) event.remove();
			else update(event, wanted);
			missing.delete(event.id);
		}
		for (const event of missing.values()) calendar.addEvent(event, true);
	});
}

function update(event: EventApi, { start, end, className, occurrence, booking }: EventInput): void {
	if (event.startStr.slice(0, 19) !== start || event.endStr.slice(0, 19) !== end) event.setDates(start!, end!);
	if (event.className !== className) event.setProp('className', className);
	for (const [name, value] of Object.entries({ occurrence, booking })) {
		if (JSON.stringify(event.extendedProps[name]) !== JSON.stringify(value)) event.setExtendedProp(name, value);
	}
}
