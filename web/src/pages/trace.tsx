import { useEffect, useMemo } from 'react';
import { nodePath, useResource } from '../api.ts';
import { Link, setSearch, usePlace } from '../location.tsx';
import { Ago, Facts, Loaded, State, Title, durationText } from '../parts.tsx';
import { Difference } from '../difference.tsx';

type Changes = Readonly<Record<string, string | null>>;

interface Step {
  readonly mediator: string;
  readonly element: string;
  readonly start: number;
  readonly duration?: number;
  readonly before?: Changes;
  readonly after?: Changes;
  readonly error?: string;
}

interface Trace {
  readonly number: number;
  readonly message: string;
  readonly artifact: string;
  readonly at: number;
  readonly duration?: number;
  readonly failed: boolean;
  readonly omitted: number;
  readonly steps: readonly Step[];
}

export function TracePage({ group, id, number }: { group: string; id: string; number: string }) {
  const trace = useResource<Trace>(nodePath({ group, id }, `traces/${number}`), 3600);
  return (
    <Loaded resource={trace}>
      {(facts) => (
        <>
          <p className="quiet">
            <Link to="/traces">Traces</Link> of {id}
          </p>
          <Title
            title={`${facts.artifact}, message ${facts.number}`}
            state={<State word={facts.failed ? 'failed' : 'healthy'} />}
          >
            <span>
              <Ago at={facts.at} />, {durationText(facts.duration)}
            </span>
          </Title>
          {facts.omitted > 0 && <div className="note">{facts.omitted} further steps were not recorded.</div>}
          <Steps trace={facts} group={group} />
        </>
      )}
    </Loaded>
  );
}

function Steps({ trace, group }: { trace: Trace; group: string }) {
  const { search } = usePlace();
  const at = Math.min(trace.steps.length - 1, Math.max(0, Number(search.get('step') ?? 0)));
  const states = useMemo(() => statesOf(trace.steps), [trace]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if ((event.target as HTMLElement).closest('input, select, textarea, dialog')) return;
      const move = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0;
      if (move !== 0) setSearch('step', String(Math.min(trace.steps.length - 1, Math.max(0, at + move))));
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [at, trace]);
  const step = trace.steps[at];
  const total = Math.max(0.001, trace.duration ?? 0, ...trace.steps.map(({ start, duration = 0 }) => start + duration));
  return (
    <div className="split">
      <div>
        {trace.steps.map((each, index) => (
          <button
            key={index}
            className={`step${each.error === undefined ? '' : ' failed'}`}
            {...(index === at ? { 'aria-current': 'true' as const } : {})}
            onClick={() => setSearch('step', String(index))}
          >
            <span>
              {each.element}
              {each.error !== undefined && ' ✕'}
            </span>
            <span className="track" aria-hidden="true">
              <i
                style={{ left: `${(each.start / total) * 100}%`, width: `${((each.duration ?? 0) / total) * 100}%` }}
              />
            </span>
            <span>{durationText(each.duration)}</span>
          </button>
        ))}
        <p className="quiet">J and K step.</p>
      </div>
      {step && (
        <StepFacts
          step={step}
          before={states[at]?.before ?? new Map()}
          after={states[at]?.after ?? new Map()}
          group={group}
        />
      )}
    </div>
  );
}

/** What the message was before and after each step: a step says only what changed. */
function statesOf(
  steps: readonly Step[],
): readonly { before: ReadonlyMap<string, string>; after: ReadonlyMap<string, string> }[] {
  let state = new Map<string, string>();
  const apply = (changes: Changes | undefined): Map<string, string> => {
    const next = new Map(state);
    for (const [name, value] of Object.entries(changes ?? {})) {
      if (value === null) next.delete(name);
      else next.set(name, value);
    }
    return next;
  };
  return steps.map((step) => {
    const before = apply(step.before);
    state = before;
    const after = apply(step.after);
    state = after;
    return { before, after };
  });
}

function StepFacts(props: {
  step: Step;
  before: ReadonlyMap<string, string>;
  after: ReadonlyMap<string, string>;
  group: string;
}) {
  const { step, before, after, group } = props;
  const changed = Object.keys(step.after ?? {}).filter((name) => name !== 'payload');
  const same = [...after].filter(([name]) => name !== 'payload' && !changed.includes(name));
  const [kind = '', name = ''] = (step.mediator.split('/', 1)[0] ?? '').split(':');
  const flow = `/artifacts/${encodeURIComponent(group)}/${kind}/${encodeURIComponent(name)}?tab=flow&at=${encodeURIComponent(step.mediator)}`;
  const payloads = [before.get('payload') ?? '', after.get('payload') ?? ''] as const;
  return (
    <section aria-label="Message at this step">
      <h2>{step.element}</h2>
      <p>
        <Link to={flow}>
          <code>{step.mediator}</code>
        </Link>
      </p>
      {step.error !== undefined && <div className="note bad">{step.error}</div>}
      <h2>Payload</h2>
      {payloads[0] === '' && payloads[1] === '' ? (
        <p className="quiet">Payloads were not recorded, or there was none.</p>
      ) : payloads[0] === payloads[1] ? (
        <pre tabIndex={0}>{pretty(payloads[1])}</pre>
      ) : (
        <Difference before={pretty(payloads[0])} after={pretty(payloads[1])} />
      )}
      <h2>Changed here</h2>
      {changed.length === 0 ? (
        <p className="quiet">No header, property or variable.</p>
      ) : (
        <Facts
          rows={changed.map((part) => [
            part,
            <span key={part}>
              {before.has(part) && <s>{before.get(part)}</s>} {after.get(part) ?? 'removed'}
            </span>,
          ])}
        />
      )}
      <details>
        <summary>{same.length} as before</summary>
        <Facts rows={same} />
      </details>
    </section>
  );
}

/** JSON in lines, so that a difference shows members; other texts as they are. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text.replaceAll('><', '>\n<');
  }
}
