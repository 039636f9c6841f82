import { useEffect, useRef, useState } from 'react';
import type { Touched } from './impact.ts';
import { countText } from './parts.tsx';
import { useImpact, type Impact } from './use-impact.ts';

/**
 * A button for what cannot be taken back: says what it touches first, with the requests of the last hour; where traffic
 * or data would be lost, a word is typed.
 */
export function Confirmed(props: {
  title: string;
  consequence: string;
  /** What has to be typed; nothing where a click is enough. */
  word?: string;
  /** Whose requests are counted; `word` is then asked for only where there were some, or nobody knows. */
  touches?: readonly Touched[];
  onConfirm: () => void;
}) {
  const { title, consequence, touches, onConfirm } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [isAsked, ask] = useState(false);
  const [typed, type] = useState('');
  const impact = useImpact(touches, isAsked);
  const isCounting = touches !== undefined && impact === undefined;
  const word = impact && 'messages' in impact && impact.messages === 0 ? undefined : props.word;
  const isSure = !isCounting && (word === undefined || typed === word);
  useEffect(() => {
    if (isAsked) dialog.current?.showModal();
  }, [isAsked]);
  const close = (): void => {
    type('');
    ask(false);
  };
  return (
    <>
      <button className="danger" onClick={() => ask(true)}>
        {title}
      </button>
      {isAsked && (
        <dialog ref={dialog} onClose={close} aria-label={title}>
          <form
            method="dialog"
            onSubmit={() => {
              if (isSure) onConfirm();
            }}
          >
            <h2>{title}?</h2>
            <p>{consequence}</p>
            {touches && (
              <p role="status">{isCounting ? 'Counting the requests of the last hour…' : impactText(impact)}</p>
            )}
            {word !== undefined && !isCounting && (
              <label>
                Type <strong>{word}</strong> to go on
                <input value={typed} autoFocus autoComplete="off" onChange={(event) => type(event.target.value)} />
              </label>
            )}
            <div className="bar">
              <button className="danger" disabled={!isSure}>
                {title}
              </button>
              <button type="button" onClick={() => dialog.current?.close()}>
                Cancel
              </button>
            </div>
          </form>
        </dialog>
      )}
    </>
  );
}

/** Names that are told in a sentence. */
const namesTold = 3;

function impactText(impact: Impact | undefined): string {
  if (!impact) return '';
  if ('reason' in impact) return `How many requests it touches is not known: ${impact.reason}`;
  const { messages, through } = impact;
  if (messages === 0) return 'No request that was counted touched it in the last hour.';
  const more = through.length - namesTold;
  const names = through.slice(0, namesTold).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return `${countText(messages)} ${messages === 1 ? 'request' : 'requests'} in the last hour, through ${names}.`;
}
