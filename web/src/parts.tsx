import { useEffect, useState, type ReactNode } from 'react';
import { ApiError, type Resource } from './api.ts';

type Tone = 'ok' | 'warn' | 'bad' | 'off';

const tones: Readonly<Record<string, Tone>> = {
  healthy: 'ok',
  active: 'ok',
  approved: 'ok',
  late: 'warn',
  waiting: 'warn',
  mixed: 'warn',
  timeout: 'warn',
  suspended: 'bad',
  faulty: 'bad',
  lost: 'bad',
  refused: 'bad',
  failed: 'bad',
  inactive: 'off',
  off: 'off',
  same: 'off',
  new: 'ok',
  changed: 'warn',
  different: 'warn',
  equal: 'ok',
  done: 'ok',
};

/** A state by shape, colour and word. */
export function State({ word, tone }: { word: string | undefined; tone?: Tone }) {
  return word === undefined ? (
    <span className="quiet">–</span>
  ) : (
    <span className={`state ${tone ?? tones[word] ?? 'off'}`}>{word}</span>
  );
}

/** How long ago, with the exact time on hover. */
export function Ago({ at }: { at: number | undefined }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 5000);
    return () => clearInterval(timer);
  }, []);
  if (at === undefined) return <span className="quiet">never</span>;
  return (
    <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
      {agoText(Date.now() - at)}
    </time>
  );
}

export function agoText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h ago` : `${Math.floor(seconds / 86_400)} d ago`;
}

export function durationText(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return '–';
  if (milliseconds < 1000) return `${Number(milliseconds.toPrecision(3))} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 120) return `${Number(seconds.toPrecision(3))} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

/** A count for people: thousands apart, millions short. */
export function countText(count: number): string {
  if (count >= 1_000_000) return `${(count / 1_000_000).toFixed(count >= 10_000_000 ? 0 : 1)} M`;
  return count.toLocaleString('en').replaceAll(',', '\u202f');
}

/** Bytes or characters for people. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} kB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** The title line of a page. */
export function Title({ title, children, state }: { title: ReactNode; children?: ReactNode; state?: ReactNode }) {
  return (
    <div className="title">
      <h1 tabIndex={-1}>{title}</h1>
      {state}
      {children !== undefined && <div className="actions">{children}</div>}
    </div>
  );
}

/** Loading, failure, old data and data, told apart the same way on every page. */
export function Loaded<Value>({
  resource,
  title,
  children,
}: {
  resource: Resource<Value>;
  /** What the page is called while there is nothing to show, where the data would say it. */
  title?: string;
  children: (data: Value) => ReactNode;
}) {
  const { data, error, isLoading, at, reload } = resource;
  return (
    <>
      {title !== undefined && data === undefined && <Title title={title} />}
      {error && (
        <div className="note bad" role="alert">
          {error.message}
          {error instanceof ApiError && error.description !== undefined && ` ${error.description}.`}{' '}
          {at !== undefined && (
            <>
              Shown is what came <Ago at={at} />.{' '}
            </>
          )}
          <button onClick={reload}>Try again</button>
        </div>
      )}
      {isLoading && <Skeleton />}
      {data !== undefined && children(data)}
    </>
  );
}

/** Nothing for 300 ms, then rows in the place of what will come. */
function Skeleton() {
  const [isShown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), 300);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return null;
  return (
    <div role="status" aria-label="Loading">
      {Array.from({ length: 6 }, (_, index) => (
        <div key={index} className="skeleton" />
      ))}
    </div>
  );
}

/** One sentence and the next step as something to copy. */
export function Empty({ children, snippet }: { children: ReactNode; snippet?: string }) {
  return (
    <div className="empty">
      <p>{children}</p>
      {snippet !== undefined && (
        <>
          <pre tabIndex={0}>{snippet}</pre>
          <CopyButton text={snippet} />
        </>
      )}
    </div>
  );
}

async function copy(text: string, done: (isDone: boolean) => void): Promise<void> {
  await navigator.clipboard.writeText(text);
  done(true);
}

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isDone, done] = useState(false);
  return (
    <button
      onClick={() => {
        void copy(text, done);
      }}
    >
      {isDone ? 'Copied' : label}
    </button>
  );
}

/** Names and values. */
export function Facts({ rows }: { rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {rows.flatMap(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name} value`}>{value}</dd>])}
    </dl>
  );
}

/** Text of a value that a runtime said. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null || value === '') return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
