import { useMemo, type KeyboardEvent } from 'react';
import { iconPath } from '../icons.tsx';
import { countText, durationText } from '../parts.tsx';
import { clientSize, landingSize, layWay, stationSize, type Line, type PlacedStation } from './layout.ts';
import { allStations, type Station, type Way } from './model.ts';
import { usePanZoom } from './pan-zoom.ts';
import { iconOf } from './station-icons.ts';

/** Figures of one mediator, over all nodes. */
export interface Figures {
  readonly count: number;
  readonly errors: number;
  readonly inFlight: number;
  readonly p95: number | undefined;
}

type FiguresById = ReadonlyMap<string, Figures> | undefined;

/** The way of a message as a picture: dragged and zoomed; arrows walk it, Enter opens a station. */
export function FlowView(props: {
  way: Way;
  figures: FiguresById;
  selected: string | undefined;
  onSelect: (station: Station) => void;
}) {
  const { way, figures, selected, onSelect } = props;
  const picture = useMemo(() => layWay(way), [way]);
  const { sight, box, fit, zoomBy, moveBy, reveal, handlers } = usePanZoom(picture);
  const order = useMemo(() => allStations([...way.request, ...way.response, ...way.fault]), [way]);
  const walk = (move: number): void => {
    const at = order.findIndex(({ id }) => id === selected);
    const next = order[Math.min(order.length - 1, Math.max(0, at + move))];
    if (!next) return;
    onSelect(next);
    const place = picture.stations.find(({ station }) => station === next);
    if (place) reveal({ x: place.x, y: place.y, ...stationSize });
    box.current?.querySelector<SVGGElement>(`[data-id="${CSS.escape(next.id)}"]`)?.focus({ preventScroll: true });
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => walk(1),
    ArrowRight: () => walk(1),
    ArrowUp: () => walk(-1),
    ArrowLeft: () => walk(-1),
    '+': () => zoomBy(1.25),
    '-': () => zoomBy(0.8),
    '0': fit,
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const arrow = /^Arrow(Up|Down|Left|Right)$/.exec(event.key)?.[1];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.shiftKey && arrow !== undefined) {
      moveBy(arrow === 'Left' ? 60 : arrow === 'Right' ? -60 : 0, arrow === 'Up' ? 60 : arrow === 'Down' ? -60 : 0);
    } else if (keys[event.key]) keys[event.key]?.();
    else return;
    event.preventDefault();
  };
  return (
    <div className="flow-frame">
      <div className="flow-tools">
        <button onClick={fit}>Fit</button>
        <button aria-label="Smaller" onClick={() => zoomBy(0.8)}>
          −
        </button>
        <button aria-label="Larger" onClick={() => zoomBy(1.25)}>
          +
        </button>
      </div>
      <div
        className="flow"
        ref={box}
        onKeyDown={onKeyDown}
        role="group"
        aria-label={`Flow of ${way.title}; drag to move, Ctrl and wheel to zoom`}
        {...handlers}
      >
        <svg width="100%" height="100%" role="listbox" aria-label={way.title}>
          <g transform={`translate(${sight.x} ${sight.y}) scale(${sight.zoom})`} role="presentation">
            {picture.bank !== undefined && (
              <line
                className="bank"
                x1={picture.bank}
                x2={picture.bank}
                y1={0}
                y2={picture.height}
                aria-hidden="true"
              />
            )}
            {picture.marks.map(({ text, x, y, form }) =>
              form === 'client' ? (
                <g key={`${form} ${x}`} className="client" aria-hidden="true">
                  <rect x={x} y={y} {...clientSize} rx={12} />
                  <text x={x + clientSize.width / 2} y={y + 16} textAnchor="middle">
                    {text}
                  </text>
                </g>
              ) : (
                <text key={`${form} ${x}`} x={x} y={y} className="sub" aria-hidden="true">
                  {text}
                </text>
              ),
            )}
            {picture.lines.map((line, index) => (
              <FlowLine key={index} line={line} figures={figures} />
            ))}
            {picture.landings.map(({ name, x, y }) => (
              <g key={name} className="landing" aria-hidden="true">
                <title>{name}</title>
                <rect x={x} y={y} {...landingSize} rx={4} />
                <text x={x + 12} y={y + 21}>
                  {clipped(name, 17)}
                </text>
              </g>
            ))}
            {picture.stations.map((place) => (
              <StationBox
                key={place.station.id}
                place={place}
                figures={figures?.get(place.station.id)}
                isSelected={place.station.id === selected}
                isEntry={selected === undefined && place.station === order[0]}
                onSelect={onSelect}
              />
            ))}
          </g>
        </svg>
      </div>
    </div>
  );
}

function StationBox(props: {
  place: PlacedStation;
  figures: Figures | undefined;
  isSelected: boolean;
  isEntry: boolean;
  onSelect: (station: Station) => void;
}) {
  const { place, figures, isSelected, isEntry, onSelect } = props;
  const { station, x, y } = place;
  const isFailing = (figures?.errors ?? 0) > 0;
  return (
    <g
      data-id={station.id}
      className={`station${isFailing ? ' failing' : ''}`}
      transform={`translate(${x} ${y})`}
      role="option"
      tabIndex={isSelected || isEntry ? 0 : -1}
      aria-selected={isSelected}
      onClick={() => onSelect(station)}
      onKeyDown={(event) => event.key === 'Enter' && onSelect(station)}
    >
      <rect width={stationSize.width} height={stationSize.height} rx={4} />
      <path className="picture" d={iconPath(iconOf(station.element))} transform="translate(9 8)" />
      <text x={32} y={21}>
        {clipped(station.element, isFailing ? 14 : 19)}
      </text>
      {isFailing && (
        <text x={stationSize.width - 10} y={21} textAnchor="end" className="errors">
          {shortCount(figures?.errors ?? 0)} ✕
        </text>
      )}
      <text x={10} y={37} className="sub">
        {clipped(station.label, 25)}
      </text>
      {figures && (
        <text x={10} y={52} className="figures">
          {shortCount(figures.count)} · p95 {durationText(figures.p95)}
        </text>
      )}
    </g>
  );
}

/** A line whose thickness follows the logarithm of its traffic; one that nobody took is dotted, one to failures tinted. */
function FlowLine({ line, figures }: { line: Line; figures: FiguresById }) {
  const { points, to, form, title } = line;
  const own = to === undefined ? undefined : figures?.get(to);
  const isNever = figures !== undefined && own === undefined;
  const width = 1.25 + (own === undefined ? 0 : Math.min(5, Math.log10(own.count + 1)));
  const isFailing = (own?.errors ?? 0) > 0;
  const label = points.at(-1);
  return (
    <g aria-hidden="true">
      <path
        d={rounded(points)}
        strokeWidth={form === 'way' ? width : 1.5}
        className={`${form}${isNever ? ' never' : ''}${isFailing ? ' failing' : ''}`}
      />
      {title !== undefined && label && (
        <text className="sub branch" x={label[0] + 7} y={label[1] - 7}>
          {clipped(title, 20)}
        </text>
      )}
    </g>
  );
}

/** A path whose corners are round. */
function rounded(points: Line['points']): string {
  const round = 6;
  return points
    .map(([x, y], index) => {
      const [before, after] = [points[index - 1], points[index + 1]];
      if (!before) return `M${x} ${y}`;
      if (!after) return `L${x} ${y}`;
      const towards = ([a, b]: readonly [number, number]): string => {
        const length = Math.hypot(a - x, b - y);
        const part = length === 0 ? 0 : Math.min(round, length / 2) / length;
        return `${x + (a - x) * part} ${y + (b - y) * part}`;
      };
      return `L${towards(before)}Q${x} ${y} ${towards(after)}`;
    })
    .join('');
}

/** A count that fits into a station: `854`, `12.4 k`, `3.1 M`. */
function shortCount(count: number): string {
  if (count < 10_000) return countText(count);
  const [value, unit] = count < 1_000_000 ? [count / 1000, 'k'] : [count / 1_000_000, 'M'];
  return `${value < 100 ? Number(value.toPrecision(3)) : Math.round(value)} ${unit}`;
}

function clipped(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** The same as text, for reading aloud and copying. */
export function FlowOutline(props: {
  stations: readonly Station[];
  figures: FiguresById;
  onSelect: (station: Station) => void;
}) {
  const { stations, figures, onSelect } = props;
  return (
    <ol className="outline">
      {stations.map((station) => {
        const own = figures?.get(station.id);
        return (
          <li key={station.id}>
            <button className="link" onClick={() => onSelect(station)}>
              {station.element}
            </button>{' '}
            {station.label} <span className="quiet">line {station.line}</span>
            {own && ` · ${countText(own.count)} messages, p95 ${durationText(own.p95)}, ${own.errors} errors`}
            {station.branches.map((branch) => (
              <div key={branch.title}>
                {branch.title}
                <FlowOutline stations={branch.stations} figures={figures} onSelect={onSelect} />
              </div>
            ))}
          </li>
        );
      })}
    </ol>
  );
}
