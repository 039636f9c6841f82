import { useEffect, useState } from 'react';
import { setSearch, usePlace } from './location.tsx';

/**
 * Goes from page to page of a list that is read by cursors. The cursor is in the address, so a page can be sent to
 * somebody and the browser goes back to it; whoever comes to a page like that goes on from there, or to the first one.
 */
export function Pager({ next }: { next: string | undefined }) {
  const cursor = usePlace().search.get('cursor') ?? '';
  const [visited, visit] = useState<readonly string[]>([cursor]);
  const at = visited.indexOf(cursor);
  const known = at < 0 ? [cursor] : visited.slice(0, at + 1);
  const before = known.at(-2);
  const go = (to: string | undefined): void => {
    if (to === undefined || to === cursor) return;
    if (to === next) visit([...known, to]);
    setSearch('cursor', to, { replace: false });
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if ((event.target as HTMLElement).closest('input, select, textarea, dialog')) return;
      if (event.key === '[') go(before);
      else if (event.key === ']') go(next);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
  return (
    <>
      <button disabled={cursor === ''} onClick={() => go('')}>
        First
      </button>
      <button disabled={before === undefined} onClick={() => go(before)}>
        Before
      </button>
      <button disabled={next === undefined} onClick={() => go(next)}>
        After
      </button>
    </>
  );
}
