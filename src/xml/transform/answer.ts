import { TransformError } from './error.ts';
import type { StylesheetModules } from './modules.ts';

interface Failure {
  readonly message: string;
  readonly code?: string;
  readonly line?: number;
  readonly module?: string;
}

/**
 * The result in an answer of the engine.
 *
 * @throws TransformError naming the stylesheet's key and the line, as far as the engine tells them
 */
export function resultOf(answer: string, modules: StylesheetModules): string {
  if (answer.startsWith('+')) return answer.slice(1);
  const failure = JSON.parse(answer.slice(1)) as Failure;
  throw failureOf(failure, modules);
}

/** The error for what the engine or its compiler says; names of modules become the keys that artifacts know. */
export function failureOf({ message, code, line, module }: Failure, { keys }: StylesheetModules): TransformError {
  const shown = message.replaceAll(/file:\/\/\/\S*\/millrace-xslt-\w+\//g, 'file:///millrace/');
  const told = /^Static error in XPath on line (\d+) in (\S+) (.*)$/s.exec(shown);
  const name = (told?.[2] ?? module ?? 'main.xsl').replace(/^.*\//, '');
  const key = keys.get(name);
  const place = key === undefined ? (keys.get('main.xsl') ?? '') : `${key}${placeSuffix(told?.[1] ?? line)}`;
  const short = code?.replace(/^Q\{[^}]*\}/, '');
  return new TransformError(`${place}: ${told?.[3] ?? shown}${short === undefined ? '' : ` (${short})`}`);
}

function placeSuffix(line: string | number | undefined): string {
  return line === undefined || Number(line) < 1 ? '' : `:${line}`;
}
