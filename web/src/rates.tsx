import { useEffect, useRef, useState } from 'react';
import type { Counters } from './figures.ts';

/** Messages and errors between two looks at the counters. */
export interface Rate {
  readonly at: number;
  readonly perSecond: number;
  readonly errors: number;
}

const kept = 120;

/** Rates over the time that the page is open: what came into artifacts, counted at their first mediators. */
export function useRates(counters: Counters | undefined): readonly Rate[] {
  const [rates, setRates] = useState<readonly Rate[]>([]);
  const last = useRef<{ at: number; count: number; errors: number }>(undefined);
  useEffect(() => {
    if (!counters) return;
    const now = { at: Date.now(), ...totalsOf(counters) };
    const before = last.current;
    last.current = now;
    if (!before || now.count < before.count) return;
    const seconds = Math.max(1, (now.at - before.at) / 1000);
    const rate = {
      at: now.at,
      perSecond: (now.count - before.count) / seconds,
      errors: (now.errors - before.errors) / seconds,
    };
    setRates((list) => [...list, rate].slice(-kept));
  }, [counters]);
  return rates;
}

/** Entry points only: `…/in/0` of APIs and proxies, whose messages are counted once there. */
export function totalsOf({ byId }: Counters, artifact?: string): { count: number; errors: number } {
  let [count, errors] = [0, 0];
  for (const counter of byId.values()) {
    if (!/^(?:api|proxy):[^/]+(?:\/resource:\d+)?\/in\/0$/.test(counter.id)) continue;
    if (artifact !== undefined && !counter.id.startsWith(`${artifact}/`)) continue;
    count += counter.count;
  }
  for (const counter of byId.values()) {
    if (artifact === undefined ? /^(?:api|proxy):/.test(counter.id) : counter.id.startsWith(`${artifact}/`))
      errors += counter.errors;
  }
  return { count, errors };
}

/** Bars of messages a second with errors at their foot, and the same in words. */
export function RateChart({ rates }: { rates: readonly Rate[] }) {
  const most = Math.max(1, ...rates.map(({ perSecond }) => perSecond));
  const last = rates.at(-1);
  if (!last) return <p className="quiet">The first figures come in a few seconds.</p>;
  return (
    <figure style={{ margin: 0 }}>
      <svg className="chart" viewBox={`0 0 ${kept} 60`} preserveAspectRatio="none" aria-hidden="true">
        {rates.map(({ at, perSecond, errors }, index) => {
          const x = kept - rates.length + index;
          const height = (perSecond / most) * 58;
          const bad = Math.min(height, (errors / most) * 58);
          return (
            <g key={at}>
              <rect className="bars" x={x} y={60 - height} width={0.8} height={height} />
              <rect className="errors" x={x} y={60 - bad} width={0.8} height={bad} />
            </g>
          );
        })}
      </svg>
      <figcaption>
        {`${last.perSecond.toFixed(1)} messages and ${last.errors.toFixed(1)} errors a second; at most ${most.toFixed(1)} since this page was opened`}
      </figcaption>
    </figure>
  );
}
