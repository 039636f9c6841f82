import { useEffect, useMemo, useRef, useState } from 'react';
import { CopyButton } from './parts.tsx';

type Piece = readonly [style: string, text: string];

/** A source with line numbers, coloured and searched; lines from `marked` to `markedTo` are marked. */
export function XmlSource({ text, marked, markedTo }: { text: string; marked?: number; markedTo?: number }) {
  const [word, setWord] = useState('');
  const lines = useMemo(() => linesOf(text), [text]);
  const box = useRef<HTMLPreElement>(null);
  useEffect(() => {
    const line = marked === undefined ? null : box.current?.querySelector<HTMLElement>(`#L${marked}`);
    if (line && box.current) box.current.scrollTop = line.offsetTop - box.current.offsetTop - 80;
  }, [marked, text]);
  const found =
    word === ''
      ? []
      : lines.flatMap((pieces, index) => (plain(pieces).includes(word.toLowerCase()) ? [index + 1] : []));
  return (
    <>
      <div className="bar">
        <input
          type="search"
          placeholder="Find in the source"
          aria-label="Find in the source"
          value={word}
          onChange={(event) => setWord(event.target.value)}
        />
        {word !== '' && <span role="status">{found.length} lines</span>}
        <CopyButton text={text} />
      </div>
      <pre ref={box} className="source" tabIndex={0} aria-label="Source">
        {lines.map((pieces, index) => {
          const number = index + 1;
          const isMarked =
            found.includes(number) || (marked !== undefined && number >= marked && number <= (markedTo ?? marked));
          return (
            <span key={number} id={`L${number}`} className={`line${isMarked ? ' marked' : ''}`}>
              <span className="number">{number}</span>
              {pieces.map(([style, part], at) => (
                <span key={at} className={style}>
                  {part}
                </span>
              ))}
            </span>
          );
        })}
      </pre>
    </>
  );
}

function plain(pieces: readonly Piece[]): string {
  return pieces
    .map(([, text]) => text)
    .join('')
    .toLowerCase();
}

const token = /<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<[^>]*>?|[^<]+/g;

/** The source cut into lines of coloured pieces. */
function linesOf(text: string): Piece[][] {
  const lines: Piece[][] = [[]];
  const add = (style: string, part: string): void => {
    for (const [index, line] of part.split('\n').entries()) {
      if (index > 0) lines.push([]);
      if (line !== '') lines.at(-1)?.push([style, line]);
    }
  };
  for (const [part] of text.matchAll(token)) {
    if (part.startsWith('<!--')) add('x-note', part);
    else if (part.startsWith('<![')) add('x-text', part);
    else if (part.startsWith('<')) {
      for (const piece of part.split(/("[^"]*"|'[^']*')/)) {
        if (piece !== '') add(/^["']/.test(piece) ? 'x-value' : 'x-tag', piece);
      }
    } else add('x-text', part);
  }
  return lines;
}
