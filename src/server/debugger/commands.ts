import { messageOf } from '#errors';
import type { Message } from '#message';
import { readComponent, type DebuggedArtifacts } from './component.ts';
import { isRecord, textIn, type Fields } from './fields.ts';
import { clearProperty, readContext, readVariables, writeProperty } from './message-view.ts';
import { keyOf } from './place.ts';
import type { Suspension } from './suspension.ts';

/** What commands work on. */
export interface Debuggee {
  readonly suspension: Suspension;
  readonly artifacts: DebuggedArtifacts;
}

type Answer = Fields | readonly Fields[];
type Command = (command: Fields, debuggee: Debuggee) => Answer;

const successful = { 'command-response': 'successful' };

/** Every command by its name and argument. */
const commands: Readonly<Record<string, Command>> = {
  'set breakpoint': (command, debuggee) => addPoint(command, debuggee, 'breakpoints'),
  'clear breakpoint': (command, debuggee) => removePoint(command, debuggee, 'breakpoints'),
  'set skip': (command, debuggee) => addPoint(command, debuggee, 'skips'),
  'clear skip': (command, debuggee) => removePoint(command, debuggee, 'skips'),
  'get properties': (command, { suspension }) => readContext(heldIn(suspension), textIn(command, 'context')),
  'get property': (command, { suspension }) =>
    readContext(heldIn(suspension), textIn(command, 'context'), nameIn(command, 'property')),
  'get variables': (_, { suspension }) => readVariables(heldIn(suspension)),
  'get variable': (command, { suspension }) => readVariables(heldIn(suspension), nameIn(command, 'variable')),
  'set property'(command, { suspension }) {
    const value = valueIn(command, 'property');
    writeProperty(heldIn(suspension), textIn(command, 'context'), { name: nameIn(command, 'property'), value });
    return successful;
  },
  'clear property'(command, { suspension }) {
    clearProperty(heldIn(suspension), textIn(command, 'context'), nameIn(command, 'property'));
    return successful;
  },
  'set variable'(command, { suspension }) {
    heldIn(suspension).variables.set(nameIn(command, 'variable'), valueIn(command, 'variable'));
    return successful;
  },
  'clear variable'(command, { suspension }) {
    heldIn(suspension).variables.delete(nameIn(command, 'variable'));
    return successful;
  },
  resume: (_, { suspension }) => goOn(suspension, false),
  step: (_, { suspension }) => goOn(suspension, true),
};

/** Answers one line of the command port (mediators 18). */
export function answerCommand(line: string, debuggee: Debuggee): Answer {
  try {
    const command: unknown = JSON.parse(line);
    if (!isRecord(command)) throw new Error('a command must be a JSON object');
    const argument = command['command-argument'];
    const name = `${textIn(command, 'command')}${typeof argument === 'string' ? ` ${argument}` : ''}`;
    const run = commands[name];
    if (!run) throw new Error('command not found');
    return run(command, debuggee);
  } catch (error) {
    return { 'command-response': 'failed', 'failed-reason': messageOf(error) };
  }
}

function addPoint(command: Fields, { suspension, artifacts }: Debuggee, kind: 'breakpoints' | 'skips'): Answer {
  const place = readComponent(command, artifacts);
  const key = keyOf(place);
  if (suspension[kind].has(key)) throw new Error('the point is set already');
  suspension[kind].set(key, place);
  return successful;
}

function removePoint(command: Fields, { suspension, artifacts }: Debuggee, kind: 'breakpoints' | 'skips'): Answer {
  if (!suspension[kind].delete(keyOf(readComponent(command, artifacts)))) throw new Error('the point is not set');
  return successful;
}

function goOn(suspension: Suspension, step: boolean): Answer {
  if (!suspension.resume(step)) throw new Error('no message is suspended');
  return successful;
}

function heldIn({ held }: Suspension): Message {
  if (!held) throw new Error('unable to acquire message context properties');
  return held;
}

function nameIn(command: Fields, kind: 'property' | 'variable'): string {
  const target = command[kind];
  return textIn(isRecord(target) ? target : command, `${kind}-name`);
}

function valueIn(command: Fields, kind: 'property' | 'variable'): string {
  const target = command[kind];
  const value = (isRecord(target) ? target : command)[`${kind}-value`];
  if (typeof value !== 'string') throw new Error(`${kind}-value is missing`);
  return value;
}
