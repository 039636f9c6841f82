import { useState, type PointerEvent } from 'react';
import { countText, durationText } from './parts.tsx';

/** What happened in a step of time. */
export interface Moment {
  readonly at: number;
  readonly perSecond: number;
  readonly errorsPerSecond: number;
  /** Milliseconds of the slowest step within which 95 of 100 messages stayed; null where it is not known. */
  readonly p95: number | null;
}

/** Something that may explain a change of the figures. */
export interface Mark {
  readonly at: number;
  readonly text: string;
}

const size = { width: 1000, height: 140 } as const;

/** Messages and errors over time, with what changed on the same axis; the words below follow the pointer. */
export function TimeChart(props: {
  moments: readonly Moment[];
  /** The same of the time before, for comparison. */
  before?: readonly Moment[];
  from: number;
  to: number;
  step: number;
  marks: readonly Mark[];
}) {
  const { moments, before = [], from, to, step, marks } = props;
  const [pointed, point] = useState<number>();
  const most = peakOf([...moments, ...before]);
  const xOf = (at: number): number => ((at - from) / Math.max(1, to - from)) * size.width;
  const heightOf = (value: number): number => (value / most) * (size.height - 8);
  const width = Math.max(2, (step / Math.max(1, to - from)) * size.width - 1);
  const shown = pointed === undefined ? moments.at(-1) : nearest(moments, pointed);
  const onPointerMove = (event: PointerEvent): void => {
    const frame = event.currentTarget.getBoundingClientRect();
    point(from + ((event.clientX - frame.left) / frame.width) * (to - from));
  };
  return (
    <figure className="time-chart">
      <div className="plot" onPointerMove={onPointerMove} onPointerLeave={() => point(undefined)}>
        <svg viewBox={`0 0 ${size.width} ${size.height}`} preserveAspectRatio="none" aria-hidden="true">
          {[0.25, 0.5, 0.75, 1].map((part) => (
            <line
              key={part}
              className="grid"
              x1={0}
              x2={size.width}
              y1={size.height - heightOf(most * part)}
              y2={size.height - heightOf(most * part)}
            />
          ))}
          {moments.map(({ at, perSecond, errorsPerSecond }) => (
            <g key={at}>
              <rect
                className={at === shown?.at && pointed !== undefined ? 'bars pointed' : 'bars'}
                x={xOf(at)}
                y={size.height - heightOf(perSecond)}
                width={width}
                height={heightOf(perSecond)}
              />
              <rect
                className="errors"
                x={xOf(at)}
                y={size.height - heightOf(Math.min(errorsPerSecond, perSecond))}
                width={width}
                height={heightOf(Math.min(errorsPerSecond, perSecond))}
              />
            </g>
          ))}
          {before.length > 1 && (
            <polyline
              className="before"
              points={before
                .map(({ at, perSecond }) => `${xOf(at + step / 2)},${size.height - heightOf(perSecond)}`)
                .join(' ')}
            />
          )}
          {marks.map(({ at, text }, index) => (
            <line key={index} className="mark" x1={xOf(at)} x2={xOf(at)} y1={0} y2={size.height}>
              <title>{text}</title>
            </line>
          ))}
        </svg>
        <span className="most">{rateText(most)}/s</span>
      </div>
      <div className="axis" aria-hidden="true">
        {[0, 0.25, 0.5, 0.75, 1].map((part) => (
          <span key={part}>{clockText(from + (to - from) * part, to - from)}</span>
        ))}
      </div>
      <figcaption>
        {shown
          ? `${clockText(shown.at, to - from)}: ${rateText(shown.perSecond)} messages and ${rateText(shown.errorsPerSecond)} errors a second${shown.p95 === null ? '' : `, p95 ${durationText(shown.p95)}`}${beforeText(shown, before)}`
          : 'No figures in this time yet: the dashboard looks every few seconds at what runtimes count.'}
      </figcaption>
    </figure>
  );
}

/** The top of the chart: what traffic is small is not drawn as if it were much. */
function peakOf(moments: readonly Moment[]): number {
  return Math.max(0.1, ...moments.map(({ perSecond }) => perSecond));
}

function beforeText({ at }: Moment, before: readonly Moment[]): string {
  const then = before.find((moment) => Math.abs(moment.at - at) < 30_000);
  return then ? `; the time before (dashed) ${rateText(then.perSecond)}` : '';
}

function nearest(moments: readonly Moment[], at: number): Moment | undefined {
  return moments.findLast((moment) => moment.at <= at) ?? moments[0];
}

export function rateText(perSecond: number): string {
  return perSecond >= 100 ? countText(Math.round(perSecond)) : String(Number(perSecond.toPrecision(2)));
}

function clockText(at: number, span: number): string {
  const date = new Date(at);
  return span > 2 * 86_400_000
    ? date.toLocaleDateString([], { weekday: 'short', day: 'numeric' })
    : date.toLocaleTimeString([], {
        hour: '2-digit',
        minute: '2-digit',
        ...(span < 20 * 60_000 && { second: '2-digit' }),
      });
}
