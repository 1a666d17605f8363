import type { VNode } from 'preact';
import { useId } from 'preact/hooks';
import type { Usage } from '../api/shapes.ts';
import { grouped } from '../parts/numbers.ts';

const [WIDTH, HEIGHT] = [640, 200];
/** Room for what is written beside the axes */
const [LEFT, BOTTOM, TOP] = [58, 30, 14];

const short = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 });

interface Props {
	title: string;
	usage: Usage['requests'];
	/** `2026-11` */
	month: string;
	/** When the month ends */
	end: string;
	hasOverages: boolean;
}

/**
 * The month as two lines: to what is used now, and on to what is projected. The API tells the sum of the month and no days,
 * so the first is as straight as the second.
 */
export function UsagePlot({ title, usage, month, end, hasOverages }: Props): VNode {
	const { used, limit, projected, overage } = usage;
	const id = useId();
	const [from, to] = [Date.parse(`${month}-01T00:00:00Z`), Date.parse(end)];
	const passed = Math.min(1, Math.max(0, (Date.now() - from) / (to - from)));
	const top = niceTop(
		Math.max(used, projected ?? 0, limit === null ? 0 : Math.min(limit, 4 * Math.max(used, projected ?? 0, 1)), 1),
	);
	const x = (part: number) => LEFT + part * (WIDTH - LEFT - 12);
	const y = (value: number) => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
	const isOver = limit !== null && (projected ?? used) > limit;
	const now = [x(passed), y(used)] as const;
	const text = summary(title, usage);
	return (
		<figure class="card plot">
			<figcaption>
				<h2>{title}</h2>
				<p class="figure">
					<strong>{grouped(used)}</strong> {limit === null ? 'without a limit' : `of ${grouped(limit)}`}
				</p>
				<p class={isOver ? 'hint over' : 'hint'}>
					{projected === null
						? 'A projection comes after the first day.'
						: `${grouped(projected)} by the end of the month, if it goes on like this.`}
					{isOver && !hasOverages && ' That is more than the plan has: what is beyond is refused.'}
					{overage > 0 && ` ${grouped(overage)} beyond the plan so far.`}
				</p>
			</figcaption>
			<svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-labelledby={id}>
				<title id={id}>{text}</title>
				{[0, 0.5, 1].map((part) => (
					<g key={part}>
						<line class="grid" x1={LEFT} x2={WIDTH - 12} y1={y(part * top)} y2={y(part * top)} />
						<text x={LEFT - 8} y={y(part * top) + 4} text-anchor="end">
							{short.format(part * top)}
						</text>
					</g>
				))}
				{limit !== null && limit <= top && (
					<g class="limit">
						<line x1={LEFT} x2={WIDTH - 12} y1={y(limit)} y2={y(limit)} />
						<text x={WIDTH - 14} y={y(limit) - 5} text-anchor="end">
							the plan
						</text>
					</g>
				)}
				<path class="area" d={`M${x(0)} ${y(0)} L${now[0]} ${now[1]} L${now[0]} ${y(0)} Z`} />
				<line class="used" x1={x(0)} y1={y(0)} x2={now[0]} y2={now[1]} />
				{projected !== null && (
					<line class="projected" x1={now[0]} y1={now[1]} x2={x(1)} y2={y(Math.min(projected, top))} />
				)}
				<circle cx={now[0]} cy={now[1]} r="5" />
				<text x={x(0)} y={HEIGHT - 6}>
					1.
				</text>
				<text x={now[0]} y={HEIGHT - 6} text-anchor="middle">
					today
				</text>
				<text x={x(1)} y={HEIGHT - 6} text-anchor="end">
					{new Date(to - 1).getUTCDate()}.
				</text>
			</svg>
		</figure>
	);
}

function summary(title: string, { used, limit, projected }: Usage['requests']): string {
	const ahead = projected === null ? '' : `, ${grouped(projected)} projected for the whole month`;
	const most = limit === null ? '' : `, the plan has ${grouped(limit)}`;
	return `${title}: ${grouped(used)} used${ahead}${most}`;
}

/** The next of 1, 2, 5, 10, 20, … */
function niceTop(value: number): number {
	const power = 10 ** Math.floor(Math.log10(value));
	return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value)!;
}
