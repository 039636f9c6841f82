import { setSearch, usePlace } from './location.tsx';

/** A time that ends now, with the seconds that one bar of a chart stands for. */
export interface TimeRange {
  readonly name: string;
  readonly title: string;
  readonly seconds: number;
  readonly step: number;
}

const usual: TimeRange = { name: '1h', title: 'Last hour', seconds: 3600, step: 60 };

/** Steps are those of the figures that the dashboard keeps of such a time, or several of them. */
export const timeRanges: readonly TimeRange[] = [
  { name: '15m', title: 'Last 15 minutes', seconds: 15 * 60, step: 60 },
  usual,
  { name: '3h', title: 'Last 3 hours', seconds: 3 * 3600, step: 300 },
  { name: '6h', title: 'Last 6 hours', seconds: 6 * 3600, step: 600 },
  { name: '12h', title: 'Last 12 hours', seconds: 12 * 3600, step: 600 },
  { name: '24h', title: 'Last 24 hours', seconds: 24 * 3600, step: 1200 },
  { name: '7d', title: 'Last 7 days', seconds: 7 * 24 * 3600, step: 3 * 3600 },
  { name: '30d', title: 'Last 30 days', seconds: 30 * 24 * 3600, step: 12 * 3600 },
];

/** The time that the address names; an hour otherwise. */
export function useTimeRange(): TimeRange {
  const name = usePlace().search.get('range');
  return timeRanges.find((range) => range.name === name) ?? usual;
}

export function RangeChoice() {
  const range = useTimeRange();
  return (
    <select
      aria-label="Time range"
      value={range.name}
      onChange={(event) => setSearch('range', event.target.value === usual.name ? '' : event.target.value)}
    >
      {timeRanges.map(({ name, title }) => (
        <option key={name} value={name}>
          {title}
        </option>
      ))}
    </select>
  );
}
