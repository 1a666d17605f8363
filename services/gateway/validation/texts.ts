// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a text must not have (contract §1)
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
// U+2800 is a braille cell without dots.
const VISIBLE = /[^\p{White_Space}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** No control characters but tab, newline and carriage return, no lone surrogates. */
export function isPlainText(text: string): boolean {
	return !CONTROL.test(text) && text.isWellFormed();
}

/** At least one character that a reader sees. */
export function isVisible(text: string): boolean {
	return VISIBLE.test(text);
}

/** Whether `text` has `minimum` to `maximum` Unicode code points. They are counted only where the answer needs it. */
export function hasLength(text: string, minimum: number, maximum: number): boolean {
	if (text.length < minimum || text.length > 2 * maximum) return false;
	if (text.length <= maximum && minimum <= 1) return true;
	const length = codePoints(text);
	return length >= minimum && length <= maximum;
}

function codePoints(text: string): number {
	let count = 0;
	for (const _ of text) count++;
	return count;
}
