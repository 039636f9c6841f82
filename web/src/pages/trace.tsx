import { useEffect, useMemo, useState } from 'react';
import { nodePath, useResource, type NodeFacts, type User } from '../api.ts';
import { artifactPath } from '../artifact-path.ts';
import { backEndAnswers } from '../back-end-answers.ts';
import { Difference } from '../difference.tsx';
import { Link, setSearch, usePlace } from '../location.tsx';
import { Ago, CopyButton, Facts, Loaded, State, Title, durationText } from '../parts.tsx';
import { ReplayDialog, type Answer } from '../replay.tsx';
import { SaveAsTest } from '../save-as-test.tsx';
import { tracedEnd } from '../saved-suite.ts';
import {
  artifactOf,
  curlOf,
  masked,
  memberLines,
  piecesOf,
  pretty,
  reachableOrigin,
  requestOf,
  statesOf,
  type Parts,
  type Step,
  type Trace,
} from '../trace-model.ts';

export function TracePage({ group, id, number, user }: { group: string; id: string; number: string; user: User }) {
  const trace = useResource<Trace>(user.isAdmin ? nodePath({ group, id }, `traces/${number}`) : undefined, 3600);
  if (!user.isAdmin) {
    return (
      <>
        <Title title={`Trace ${number}`} />
        <p>Traces hold what messages hold: only administrators see them.</p>
      </>
    );
  }
  return (
    <Loaded resource={trace} title={`Trace ${number}`}>
      {(facts) => <Traced trace={facts} group={group} id={id} />}
    </Loaded>
  );
}

function Traced({ trace, group, id }: { trace: Trace; group: string; id: string }) {
  const [isReplaying, replay] = useState(false);
  const [answer, setAnswer] = useState<Answer>();
  const node = useResource<NodeFacts>(`/nodes/${encodeURIComponent(group)}/${encodeURIComponent(id)}`, 3600);
  const request = requestOf(trace);
  const states = useMemo(() => statesOf(trace.steps), [trace]);
  const answers = useMemo(() => backEndAnswers(states), [states]);
  const answered = states.at(-1)?.after.get('payload') ?? '';
  // What back ends answered to the traced message belongs to what that one ended with, and to no replay.
  const replayed =
    answers.known.length > 0
      ? undefined
      : answer && { status: answer.status, body: answer.body?.includes(masked) ? undefined : answer.body };
  const { kind, name } = artifactOf(trace.artifact);
  const artifact = artifactPath({ group, kind, name });
  return (
    <>
      <p className="quiet crumbs">
        <Link to="/traces">Traces</Link> of {id}
      </p>
      <Title
        title={request ? `${request.method} ${request.path}` : `${trace.artifact}, message ${trace.number}`}
        state={<State word={trace.failed ? 'failed' : 'healthy'} />}
      >
        {request && trace.origin !== undefined && (
          <CopyButton
            text={curlOf(request, reachableOrigin(trace.origin, node.data?.managementUrl))}
            label="Copy as curl"
          />
        )}
        {request && <button onClick={() => replay(true)}>Replay</button>}
        {request && (
          <SaveAsTest
            request={request}
            artifact={{ group, kind, name }}
            expected={replayed ?? (trace.failed ? { status: undefined, body: undefined } : tracedEnd(states))}
            answers={answers}
          />
        )}
        <CopyButton text={location.href} label="Copy link" />
      </Title>
      <p>
        <Ago at={trace.at} /> in <Link to={`${artifact}?tab=flow`}>{trace.artifact}</Link>,{' '}
        {durationText(trace.duration)}, {trace.steps.length} steps
        {trace.correlation !== undefined && (
          <>
            , correlated by <code>{trace.correlation}</code>
          </>
        )}
      </p>
      {trace.omitted > 0 && <div className="note">{trace.omitted} further steps were not recorded.</div>}
      <Steps trace={trace} states={states} group={group} />
      {isReplaying && request && (
        <ReplayDialog
          request={request}
          node={{ group, id }}
          answerBefore={answered}
          onAnswer={setAnswer}
          onClose={() => replay(false)}
        />
      )}
    </>
  );
}

function Steps(props: { trace: Trace; states: ReturnType<typeof statesOf>; group: string }) {
  const { trace, states, group } = props;
  const steps = states.map(({ step }) => step);
  const { search } = usePlace();
  const named = steps.findIndex(({ mediator }) => mediator === search.get('at'));
  const asked = search.has('step') ? Number(search.get('step')) : Math.max(0, named);
  const at = Math.min(steps.length - 1, Math.max(0, Number.isNaN(asked) ? 0 : asked));
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if ((event.target as HTMLElement).closest('input, select, textarea, dialog')) return;
      const move = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0;
      if (move !== 0) setSearch('step', String(Math.min(steps.length - 1, Math.max(0, at + move))));
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [at, trace]);
  const step = steps[at];
  const total = Math.max(0.001, trace.duration ?? 0, ...steps.map(({ start, duration = 0 }) => start + duration));
  return (
    <div className="split even">
      <div>
        <div className="steps">
          {steps.map((each, index) => (
            <button
              key={index}
              className={`step${each.error === undefined ? '' : ' failed'}`}
              title={each.mediator}
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
              <span className="number">{durationText(each.duration)}</span>
            </button>
          ))}
        </div>
        <p className="quiet">
          <kbd>J</kbd> and <kbd>K</kbd> step.
        </p>
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

function StepFacts({ step, before, after, group }: { step: Step; before: Parts; after: Parts; group: string }) {
  const changed = Object.keys(step.after ?? {}).filter((name) => name !== 'payload');
  const same = [...after].filter(([name]) => name !== 'payload' && !changed.includes(name));
  const { kind, name } = artifactOf(step.mediator);
  const flow = `${artifactPath({ group, kind, name })}?tab=flow&at=${encodeURIComponent(step.mediator)}`;
  const payloads = [before.get('payload') ?? '', after.get('payload') ?? ''] as const;
  return (
    <section aria-label="Message at this step">
      <h2 className="first">{step.element}</h2>
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
        <Difference before={memberLines(payloads[0])} after={memberLines(payloads[1])} />
      )}
      <MaskedBy texts={payloads} />
      <h2>Changed here</h2>
      {changed.length === 0 ? (
        <p className="quiet">No header, property or variable.</p>
      ) : (
        <Facts
          rows={changed.map((part) => [
            part,
            <span key={part}>
              {before.has(part) && (
                <s>
                  <Shown text={before.get(part)} />
                </s>
              )}{' '}
              {after.has(part) ? <Shown text={after.get(part)} /> : 'removed'}
            </span>,
          ])}
        />
      )}
      <details>
        <summary>{same.length} as before</summary>
        <Facts rows={same.map(([part, value]) => [part, <Shown key={part} text={value} />])} />
      </details>
    </section>
  );
}

/** A value; what was masked in it says by which rule. */
function Shown({ text = '' }: { text: string | undefined }) {
  return piecesOf(text).map((piece, index) =>
    piece.reason === undefined ? (
      <span key={index}>{piece.text}</span>
    ) : (
      <span key={index} className="chip still" title={`Masked in the runtime: ${piece.reason}`}>
        masked: {piece.reason}
      </span>
    ),
  );
}

/** By which rules something in a payload was masked. */
function MaskedBy({ texts }: { texts: readonly string[] }) {
  const reasons = new Set(texts.flatMap((text) => piecesOf(text).map(({ reason }) => reason ?? '')));
  reasons.delete('');
  return reasons.size === 0 ? null : <p className="quiet">Masked in the runtime: {[...reasons].join('; ')}.</p>;
}
