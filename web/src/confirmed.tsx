import { useEffect, useRef, useState } from 'react';

/** A button for what cannot be taken back: says what it touches first; where traffic or data would be lost, a word is typed. */
export function Confirmed(props: {
  title: string;
  consequence: string;
  /** What has to be typed; nothing where a click is enough. */
  word?: string;
  onConfirm: () => void;
}) {
  const { title, consequence, word, onConfirm } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [isAsked, ask] = useState(false);
  const [typed, type] = useState('');
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
              if (word === undefined || typed === word) onConfirm();
            }}
          >
            <h2>{title}?</h2>
            <p>{consequence}</p>
            {word !== undefined && (
              <label>
                Type <strong>{word}</strong> to go on
                <input value={typed} autoFocus autoComplete="off" onChange={(event) => type(event.target.value)} />
              </label>
            )}
            <div className="bar">
              <button className="danger" disabled={word !== undefined && typed !== word}>
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
