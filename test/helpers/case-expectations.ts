import { parseHttp } from './case-file.ts';
import type { RecordedRequest } from './fake-back-end.ts';

/**
 * The answer as the expectation looks at it: its status, those headers that the expectation names (`!Name` for one
 * that must be absent), and the body. An expectation that ends after its headers does not look at the body.
 */
export function shownResponse(response: string, expectation: string): string {
  const actual = parseHttp(response);
  // The reason phrase counts only where the expectation has one.
  const isPhrased = (expectation.split('\n', 1)[0] ?? '').trim().includes(' ');
  const first = isPhrased ? actual.first : actual.first.slice(0, 3);
  return [first, ...shownHeaders(actual.headers, expectation), ...shownBody(actual.body, expectation)].join('\n');
}

/** The requests that the back ends saw, in order, as their parts of the expectation look at them. */
export function shownRequests(requests: readonly RecordedRequest[], expectation: string): string {
  if (requests.length === 0) return 'none\n';
  const parts = expectation.split(/^===$/m);
  return requests
    .map(({ line, headers, body }, index) => {
      const wanted = parts[index]?.replace(/^\n/, '') ?? '';
      return [line, ...shownHeaders([...headers], wanted), ...shownBody(body, wanted)].join('\n').replace(/\n*$/, '\n');
    })
    .join('===\n');
}

function shownHeaders(headers: readonly string[], expectation: string): string[] {
  const wanted = expectation.split('\n').slice(1);
  const end = wanted.findIndex((line) => line.trim() === '');
  const pairs = Array.from(
    { length: headers.length / 2 },
    (_, index) => [headers[index * 2] ?? '', headers[index * 2 + 1] ?? ''] as const,
  );
  const seen = new Set<string>();
  return wanted.slice(0, end < 0 ? undefined : end).flatMap((line) => {
    const name = line.replace(/^!/, '').split(':', 1)[0]?.trim().toLowerCase() ?? '';
    // A repeated field is shown whole where its name stands first.
    if (seen.has(name)) return [];
    seen.add(name);
    const values = pairs.filter(([candidate]) => candidate.toLowerCase() === name);
    if (values.length === 0) return `!${line.replace(/^!/, '').split(':', 1)[0] ?? ''}`;
    return values.map(([candidate, value]) => `${candidate}: ${value}`).join('\n');
  });
}

function shownBody(body: string, expectation: string): string[] {
  return /\n[ \t]*\n/.test(expectation) || body === '' ? (body === '' ? [''] : ['', body]) : [''];
}

/**
 * The log lines of the expectation that really occur, as substrings of messages; the others are marked. A line that
 * begins with `!` must not occur.
 */
export function shownLog(lines: readonly string[], expectation: string): string {
  const messages = lines.map((line) => JSON.parse(line) as { msg?: string });
  return expectation
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const isUnwanted = line.startsWith('!');
      const text = (isUnwanted ? line.slice(1) : line).trim();
      const isLogged = messages.some(({ msg }) => msg?.includes(text));
      if (isLogged === isUnwanted) return isLogged ? `(logged) ${line}` : `(not logged) ${line}`;
      return line;
    })
    .join('\n');
}
