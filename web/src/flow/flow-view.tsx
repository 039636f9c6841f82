import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { durationText } from '../parts.tsx';
import { layWay, stationSize, type Line } from './layout.ts';
import { allStations, type Station, type Way } from './model.ts';

/** Figures of one mediator, over all nodes. */
export interface Figures {
  readonly count: number;
  readonly errors: number;
  readonly inFlight: number;
  readonly p95: number | undefined;
}

/** The way of a message as a picture: arrows walk it, Enter opens a station. */
export function FlowView(props: {
  way: Way;
  figures: ReadonlyMap<string, Figures> | undefined;
  selected: string | undefined;
  onSelect: (station: Station) => void;
}) {
  const { way, figures, selected, onSelect } = props;
  const picture = useMemo(() => layWay(way), [way]);
  const [zoom, setZoom] = useState(1);
  const box = useRef<HTMLDivElement>(null);
  const order = useMemo(() => allStations([...way.request, ...way.response, ...way.fault]), [way]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const moves: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    const at = order.findIndex(({ id }) => id === selected);
    const next = order[Math.min(order.length - 1, Math.max(0, at + move))];
    if (!next) return;
    onSelect(next);
    box.current?.querySelector<SVGGElement>(`[data-id="${CSS.escape(next.id)}"]`)?.focus();
  };
  const fit = (): void =>
    setZoom(Math.min(1.5, Math.max(0.3, ((box.current?.clientWidth ?? 800) - 16) / picture.width)));
  useEffect(fit, [picture]);
  return (
    <>
      <div className="bar">
        <button onClick={fit}>Fit</button>
        <button aria-label="Smaller" onClick={() => setZoom(zoom / 1.25)}>
          −
        </button>
        <button aria-label="Larger" onClick={() => setZoom(zoom * 1.25)}>
          +
        </button>
        <span className="quiet">{figures ? 'Figures are live.' : 'Turn statistics on to see figures.'}</span>
      </div>
      <div className="flow" ref={box} onKeyDown={onKeyDown} role="group" aria-label={`Flow of ${way.title}`}>
        <svg
          width={picture.width * zoom}
          height={picture.height * zoom}
          viewBox={`0 0 ${picture.width} ${picture.height}`}
          role="listbox"
          aria-label={way.title}
        >
          {picture.titles.map(({ text, x, y }) => (
            <text key={text} x={x} y={y} className="sub" aria-hidden="true">
              {text}
            </text>
          ))}
          <g className="bank" aria-hidden="true">
            <rect x={picture.bank.x} y={picture.bank.y} width={96} height={picture.bank.height} rx={4} />
          </g>
          {picture.lines.map((line, index) => (
            <FlowLine key={index} line={line} figures={figures} />
          ))}
          {picture.stations.map(({ station, x, y }) => {
            const own = figures?.get(station.id);
            const isFailing = (own?.errors ?? 0) > 0;
            const isFirst = selected === undefined && station === order[0];
            return (
              <g
                key={station.id}
                data-id={station.id}
                className={`station${isFailing ? ' failing' : ''}`}
                transform={`translate(${x} ${y})`}
                role="option"
                tabIndex={station.id === selected || isFirst ? 0 : -1}
                aria-selected={station.id === selected}
                onClick={() => onSelect(station)}
                onKeyDown={(event) => event.key === 'Enter' && onSelect(station)}
              >
                <rect width={stationSize.width} height={stationSize.height} rx={4} />
                <g>
                  <text x={10} y={18}>
                    {clipped(station.element, 22)}
                  </text>
                  <text x={10} y={33} className="sub">
                    {clipped(station.label, 26)}
                  </text>
                  {own && (
                    <text x={10} y={48} className="sub">
                      {`${own.count} · ${durationText(own.p95)}${isFailing ? ` · ${own.errors} errors` : ''}`}
                    </text>
                  )}
                </g>
              </g>
            );
          })}
        </svg>
      </div>
    </>
  );
}

/** A line whose thickness follows the logarithm of its traffic; one that nobody took is dotted. */
function FlowLine({ line, figures }: { line: Line; figures: ReadonlyMap<string, Figures> | undefined }) {
  const count = line.to === undefined ? undefined : figures?.get(line.to)?.count;
  const isNever = figures !== undefined && count === undefined;
  const width = 1 + (count === undefined ? 0 : Math.min(5, Math.log10(count + 1)));
  const d = line.points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`).join('');
  const label = line.points.at(-1);
  return (
    <g aria-hidden="true">
      <path d={d} strokeWidth={width} className={line.isFault ? 'fault' : isNever ? 'never' : ''} />
      {line.title !== undefined && label && (
        <text className="sub" x={label[0] + 6} y={label[1] - 6}>
          {clipped(line.title, 20)}
        </text>
      )}
    </g>
  );
}

function clipped(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** The same as text, for reading aloud and copying. */
export function FlowOutline({
  stations,
  onSelect,
}: {
  stations: readonly Station[];
  onSelect: (station: Station) => void;
}) {
  return (
    <ol className="outline">
      {stations.map((station) => (
        <li key={station.id}>
          <button onClick={() => onSelect(station)}>{station.element}</button> {station.label}{' '}
          <span className="quiet">line {station.line}</span>
          {station.branches.map((branch) => (
            <div key={branch.title}>
              {branch.title}
              <FlowOutline stations={branch.stations} onSelect={onSelect} />
            </div>
          ))}
        </li>
      ))}
    </ol>
  );
}
