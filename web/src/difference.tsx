import { useMemo } from 'react';

/** Lines that one has and the other has not. */
export function Difference({ before, after }: { before: string; after: string }) {
  const lines = useMemo(() => differenceOf(before.split('\n'), after.split('\n')), [before, after]);
  return (
    <pre tabIndex={0}>
      {lines.map(([sign, line], index) => (
        <span key={index} className={sign === '+' ? 'added' : sign === '-' ? 'removed' : ''}>
          {sign} {line}
          {sign === ' ' ? '\n' : ''}
        </span>
      ))}
    </pre>
  );
}

type Sign = ' ' | '+' | '-';

/** The longest common subsequence tells what stayed; texts beyond some size are compared as wholes. */
export function differenceOf(
  before: readonly string[],
  after: readonly string[],
): readonly (readonly [Sign, string])[] {
  if (before.length * after.length > 4_000_000) {
    return [...before.map((line) => ['-', line] as const), ...after.map((line) => ['+', line] as const)];
  }
  const table = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const [row, below] = [table[i] as Uint32Array, table[i + 1] as Uint32Array];
      row[j] = before[i] === after[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  const lines: (readonly [Sign, string])[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push([' ', before[i] ?? '']);
      i++;
      j++;
    } else if (j >= after.length || (i < before.length && (table[i + 1]?.[j] ?? 0) >= (table[i]?.[j + 1] ?? 0))) {
      lines.push(['-', before[i++] ?? '']);
    } else lines.push(['+', after[j++] ?? '']);
  }
  return lines;
}
