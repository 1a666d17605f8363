import type { VNode } from 'preact';
import { useId } from 'preact/hooks';
import { Field } from '../parts/field.tsx';

/** Those that this browser knows; another name may be typed, and the API judges it. */
const KNOWN = Intl.supportedValuesOf('timeZone');

export function TimezoneField({ value, onValue }: { value: string; onValue: (value: string) => void }): VNode {
	const list = useId();
	return (
		<div>
			<Field label="Time zone" hint="Such as Europe/Berlin" required list={list} value={value} onValue={onValue} />
			<datalist id={list}>
				{KNOWN.map((name) => (
					<option key={name} value={name} />
				))}
			</datalist>
		</div>
	);
}
