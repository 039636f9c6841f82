/** Strokes of the console's pictures, on a grid of 16. */
const strokes = {
  overview: 'M2 9.5a6 6 0 1 1 12 0M8 9.5 11 6M2.5 13h11',
  traffic: 'M1.5 9.5h3l2-6 3 10 2-6h3',
  artifacts: 'M2.5 2.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 9.5h4v4h-4zM9.5 9.5h4v4h-4z',
  graph:
    'M3 5.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM13 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM6.5 14.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM5 4l6 .8M4 5.3l1.8 5.3M8.3 11.6l3.4-4.9',
  traces: 'M2 3.5h7M4.5 8h7M8.5 12.5H14',
  messages: 'M2 3.5h12v9H2zM2 4.5l6 4.5 6-4.5',
  nodes: 'M2.5 2.5h11v4h-11zM2.5 9.5h11v4h-11zM5 4.5h.5M5 11.5h.5',
  logs: 'M3 2h7l3 3v9H3zM5.5 7h5M5.5 9.5h5M5.5 12h3',
  configuration:
    'M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6M10 6.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM6 13.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  access: 'M8 7.5a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5zM2.5 14c.5-3 2.7-4.5 5.5-4.5s5 1.5 5.5 4.5',
  audit: 'M8 1.8 13.5 4v4c0 3.2-2.2 5.2-5.5 6.2C4.7 13.2 2.5 11.2 2.5 8V4zM5.5 8l1.8 1.8L10.7 6',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.7 10.7 14 14',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  live: 'M8 9.2a1.2 1.2 0 1 0 0-2.4 1.2 1.2 0 0 0 0 2.4zM4.8 11.2a4.5 4.5 0 0 1 0-6.4M11.2 4.8a4.5 4.5 0 0 1 0 6.4',
  fold: 'M9.5 4 5.5 8l4 4',
  unfold: 'M6.5 4l4 4-4 4',
  deployed: 'M8 10.5v-8M5 5.5l3-3 3 3M2.5 10v3.5h11V10',
  switched: 'M5 4.5h6a3.5 3.5 0 0 1 0 7H5a3.5 3.5 0 0 1 0-7zM11 9.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z',
  fork: 'M8 2v4M8 6 4 10v4M8 6l4 4v4',
  send: 'M2 8h11M9 4l4 4-4 4',
  answer: 'M14 8H3M7 4 3 8l4 4',
  edit: 'M3 13l.7-3L11 2.7l2.3 2.3L6 12.3z',
  note: 'M3 3.5h10M3 8h10M3 12.5h6',
  tag: 'M2.5 2.5h5l6 6-5 5-6-6zM5.5 5.5h.1',
  loop: 'M13 8a5 5 0 1 1-1.6-3.7M13.5 2v3h-3',
  step: 'M4 4h8v8H4z',
  store:
    'M8 5.5c3 0 5-.8 5-1.8S11 2 8 2s-5 .7-5 1.7 2 1.8 5 1.8zM3 3.7v8.6C3 13.3 5 14 8 14s5-.7 5-1.7V3.7M3 8c0 1 2 1.8 5 1.8S13 9 13 8',
  fault: 'M8 2 14.5 13.5h-13zM8 6.5v3.5M8 12v.1',
} as const;

export type IconName = keyof typeof strokes;

/** A picture beside a word; the word says what it means. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={strokes[name]} />
    </svg>
  );
}

/** The strokes alone, for pictures inside pictures. */
export function iconPath(name: IconName): string {
  return strokes[name];
}
