import type { JSX, VNode } from 'preact';
import { useId } from 'preact/hooks';

type Input = Omit<JSX.HTMLAttributes<HTMLInputElement>, 'onInput' | 'value' | 'label'>;

interface FieldProps extends Input {
	label: string;
	hint?: string;
	value: string;
	type?: string;
	required?: boolean;
	min?: string | number;
	max?: string | number;
	maxLength?: number;
	placeholder?: string;
	inputMode?: 'numeric' | 'email' | 'tel' | 'text' | 'url';
	pattern?: string;
	/** Id of a `datalist` with what is offered */
	list?: string;
	autocomplete?: 'off';
	spellcheck?: boolean;
	onValue: (value: string) => void;
}

export function Field({ label, hint, value, onValue, ...input }: FieldProps): VNode {
	const id = useId();
	return (
		<div class="field">
			<label for={id}>{label}</label>
			<input
				{...input}
				id={id}
				value={value}
				aria-describedby={hint && `${id}-hint`}
				onInput={(event) => onValue(event.currentTarget.value)}
			/>
			{hint && (
				<p class="hint" id={`${id}-hint`}>
					{hint}
				</p>
			)}
		</div>
	);
}

export function Area({
	label,
	value,
	onValue,
	required,
	maxLength,
}: Pick<FieldProps, 'label' | 'value' | 'onValue' | 'required' | 'maxLength'>): VNode {
	const id = useId();
	return (
		<div class="field">
			<label for={id}>{label}</label>
			<textarea
				id={id}
				rows={3}
				value={value}
				required={required}
				maxLength={maxLength}
				onInput={(event) => onValue(event.currentTarget.value)}
			/>
		</div>
	);
}

interface ChoiceProps {
	label: string;
	/** Whether the label is for screen readers only */
	isQuiet?: boolean;
	value: string;
	options: readonly (readonly [value: string, text: string])[];
	onValue: (value: string) => void;
}

export function Choice({ label, isQuiet, value, options, onValue }: ChoiceProps): VNode {
	const id = useId();
	return (
		<div class="field">
			<label for={id} class={isQuiet ? 'hidden' : ''}>
				{label}
			</label>
			<select id={id} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
				{options.map(([one, text]) => (
					<option key={one} value={one} selected={one === value}>
						{text}
					</option>
				))}
			</select>
		</div>
	);
}

interface CheckProps {
	label: string;
	checked: boolean;
	onValue: (checked: boolean) => void;
}

export function Check({ label, checked, onValue }: CheckProps): VNode {
	return (
		<label class="check">
			<input type="checkbox" checked={checked} onChange={(event) => onValue(event.currentTarget.checked)} />
			{label}
		</label>
	);
}

interface SwitchProps<Value extends string> {
	label: string;
	value: Value;
	options: readonly (readonly [value: Value, text: string])[];
	onValue: (value: Value) => void;
}

/** One of a few, all of which are seen */
export function Switch<Value extends string>({ label, value, options, onValue }: SwitchProps<Value>): VNode {
	return (
		<fieldset class="switch">
			<legend class="hidden">{label}</legend>
			{options.map(([one, text]) => (
				<button key={one} type="button" aria-pressed={one === value} onClick={() => onValue(one)}>
					{text}
				</button>
			))}
		</fieldset>
	);
}
