import { expect, test } from '@jest/globals';
import { trace } from '@opentelemetry/api';
import { parseTraceparent, traceOfEvent, traceparentOf } from '../../shared/tracing/tracing.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test.each([
	[`00-${TRACE}-${SPAN}-01`, 1],
	[`00-${TRACE}-${SPAN}-00`, 0],
	[`00-${TRACE}-${SPAN}-03`, 1], // flags that are not known yet
	[`cc-${TRACE}-${SPAN}-01`, 1],
	[`cc-${TRACE}-${SPAN}-01-what-comes-later`, 1], // of a later version (Trace Context §3.2)
])('When a client sends %s, then its trace is continued', (text, flags) => {
	const context = parseTraceparent(text);
	expect(context).toEqual({ traceId: TRACE, spanId: SPAN, traceFlags: flags, isRemote: true });
	expect(traceparentOf(trace.wrapSpanContext(context!))).toBe(`00-${TRACE}-${SPAN}-0${flags}`);
});

test.each([
	'',
	'zebulon@leak.example',
	`00-${TRACE}-${SPAN}`,
	`00-${TRACE}-${SPAN}-01-more`,
	`00-${TRACE}-${SPAN}-1`,
	`00-${TRACE.toUpperCase()}-${SPAN}-01`,
	`00-${'0'.repeat(32)}-${SPAN}-01`,
	`00-${TRACE}-${'0'.repeat(16)}-01`,
	`ff-${TRACE}-${SPAN}-01`,
	`00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
])('When a client sends "%s", then it is ignored', (text) => {
	expect(parseTraceparent(text)).toBeUndefined();
});

test('When traces are off, then an event carries none', () => {
	expect(traceOfEvent()).toEqual({});
});
