import { getLogger } from '#core';
import { formatPosition, type Position } from '#errors';
import { ownText, positionAt, type SourceNode } from '#xml';
import { Script } from 'node:vm';

const log = getLogger('mediation');

/** The text of a script and where it stands: in an artifact, or from the start of a registry resource. */
export interface ScriptSource {
  readonly text: string;
  readonly position: Position;
}

/** What is wrong with a script, and where. */
export interface ScriptProblem {
  readonly message: string;
  readonly position: Position;
}

/** The text in an element with the place of its first character. */
export function inlineSource(node: SourceNode): ScriptSource {
  const { document, element } = node;
  const sections = element.children.filter((child) => child.kind === 'text' && child.cdata);
  const around = element.children.filter((child) => child.kind === 'text' && !child.cdata && child.value.trim() !== '');
  const [only] = sections;
  const start = endOfStartTag(document.source, element.offset);
  if (sections.length !== 1 || around.length > 0 || only?.kind !== 'text') {
    return { text: ownText(element), position: positionAt(document, start) };
  }
  const offset = document.source.indexOf('<![CDATA[', start) + '<![CDATA['.length;
  return { text: only.value, position: positionAt(document, offset) };
}

function endOfStartTag(text: string, from: number): number {
  let quote = '';
  for (let index = from; index < text.length; index++) {
    const character = text.charAt(index);
    if (quote === '' && character === '>') return index + 1;
    if (quote === '' && (character === '"' || character === "'")) quote = character;
    else if (character === quote) quote = '';
  }
  return text.length;
}

/** What of E4X, JavaScript's former XML extension, can stand where the engine finds something unexpected. */
const e4x: readonly (readonly [pattern: RegExp, construct: string])[] = [
  [/^<(?:[A-Za-z_{>?]|!\[CDATA\[|!--)/, 'an XML literal'],
  [/^\.[\w*@$]/, 'the descendants operator ".."'],
  [/^@/, 'the attribute operator ".@"'],
  [/^\*/, 'the wildcard ".*"'],
  [/^::?/, 'the qualifier "::"'],
  [/^\(/, 'the filter ".( )"'],
  [/^each\b/, 'the loop "for each"'],
  [/^default\b/, '"default xml namespace"'],
  [/^xml\b/, '"default xml namespace"'],
];

/** What must stand before the unexpected text for it to be of E4X. */
const before: Readonly<Record<string, RegExp | undefined>> = {
  'the descendants operator ".."': /\.$/,
  'the attribute operator ".@"': /[.[]\s*$/,
  'the wildcard ".*"': /\.$/,
  'the qualifier "::"': /[\w*)]:?$/,
  'the filter ".( )"': /\.$/,
  'the loop "for each"': /\bfor\s*$/,
};

/**
 * Compiles a script without running it: what does not compile is told with its place in the artifact, and E4X by what
 * it is.
 */
export function checkScript({ text, position }: ScriptSource): ScriptProblem | undefined {
  const { file, line, column } = position;
  try {
    // Compiled only, never run: scripts run in an isolate.
    return void new Script(text, { filename: file, lineOffset: line - 1, columnOffset: column - 1 });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const place = placeOf(error, { text, position });
    const construct = e4xAt(text, offsetOf(text, position, place));
    log.debug({ err: error }, 'a script does not compile');
    const found =
      construct &&
      `${construct} belongs to E4X, which no current JavaScript engine has; build the payload with setPayloadJSON, or as text for setPayloadXML`;
    return { message: found ?? `the script does not compile: ${error.message}`, position: place };
  }
}

/** The place of a syntax error: its stack begins with `file:line`, the line, and a marker below the column. */
function placeOf(error: SyntaxError, { position }: ScriptSource): Position {
  const { file, line, column } = position;
  const lines = (error.stack ?? '').slice(file.length).split('\n');
  const found = Number(/^:(\d+)/.exec(lines[0] ?? '')?.[1] ?? line);
  const marker = lines.find((each) => /^\s*\^+\s*$/.test(each));
  const offset = marker === undefined ? 0 : marker.indexOf('^');
  return { file, line: found, column: found === line ? column + offset : offset + 1 };
}

/** The offset of a place in the text of a script. */
function offsetOf(text: string, start: Position, place: Position): number {
  const lines = text.split('\n');
  const skipped = place.line - start.line;
  const before = lines.slice(0, skipped).reduce((sum, each) => sum + each.length + 1, 0);
  return before + place.column - (skipped === 0 ? start.column : 1);
}

function e4xAt(text: string, offset: number): string | undefined {
  const rest = text.slice(offset);
  const head = text.slice(0, offset);
  const found = e4x.find(([pattern, construct]) => pattern.test(rest) && (before[construct]?.test(head) ?? true));
  return found?.[1];
}

/** `message (file:line:column)`. */
export function describeProblem({ message, position }: ScriptProblem): string {
  return `${message} (${formatPosition(position)})`;
}
