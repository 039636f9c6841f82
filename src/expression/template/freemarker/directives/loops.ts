import { itemsOf, required, wrongType } from '../convert.ts';
import { runAll, type Element } from '../element.ts';
import { TemplateFailure, type Blamed } from '../errors.ts';
import { isHash, nothing, type Value } from '../values.ts';
import type { Cursor } from '../cursor.ts';
import type { Environment, LoopState, Signal } from '../environment.ts';
import type { Expression } from '../expression.ts';
import type { Tag, TemplateReader } from '../reader.ts';

interface LoopNames {
  readonly name: string;
  readonly valueName: string | undefined;
}

/** What a run of `<#list>` without a loop variable hands to its `<#items>`. */
const pending = new WeakMap<Environment, { readonly value: Value; readonly list: Expression }[]>();

/** `<#list seq as item>`, `<#list hash as key, value>`, and `<#list seq>` with `<#items>`. */
export function readList(reader: TemplateReader, tag: Tag): Element {
  const list = reader.expression();
  const names = takeNames(reader);
  reader.closeTag();
  const isLoop = names !== undefined;
  const items = isLoop ? undefined : { isThere: false };
  const children = reader.within(
    {
      isBreakable: isLoop || reader.surroundings.isBreakable,
      isLoop,
      items,
      loopNames: loopNames(reader, names),
    },
    () => reader.content(),
  );
  if (items && !items.isThere)
    reader.cursor.fail('<#list> needs "as" and a loop variable, or an <#items> within', tag.start);
  const loop = reader.block(tag.start, children);
  const parts = [loop];
  let otherwise: Element[] | undefined;
  if (reader.divider() === 'else') {
    const { start } = reader.takeDivider();
    reader.closeTag();
    otherwise = reader.content();
    parts.push(reader.block(start, otherwise));
  }
  reader.end(tag);
  const run = (environment: Environment): Signal => {
    const value = required(environment, list);
    const hasItems = names
      ? runLoop(environment, { value, list, names, children: loop.children })
      : runOnce(environment, { value, list, children: loop.children });
    if (typeof hasItems !== 'boolean') return hasItems.signal;
    return hasItems || !otherwise ? undefined : runAll(otherwise, environment);
  };
  return otherwise
    ? reader.block(tag.start, parts, run)
    : { ...loop, endLine: reader.cursor.place(reader.cursor.at - 1).line, run };
}

/** `<#items as item>`: the part of a list that is repeated. */
export function readItems(reader: TemplateReader, tag: Tag): Element {
  const { items } = reader.surroundings;
  if (!items) reader.cursor.fail('<#items> belongs into a <#list> without "as"', tag.start);
  else items.isThere = true;
  const names = takeNames(reader);
  if (!names) reader.cursor.failExpected('"as" and the name of a variable');
  reader.closeTag();
  const children = reader.within(
    { isBreakable: true, isLoop: true, items: undefined, loopNames: loopNames(reader, names) },
    () => reader.content(),
  );
  reader.end(tag);
  return reader.block(tag.start, children, (environment) => {
    const current = pending.get(environment)?.at(-1);
    if (!current) throw new TemplateFailure('other', '<#items> is outside of its list', blamedAt(reader, tag));
    const result = runLoop(environment, { ...current, names, children });
    return typeof result === 'boolean' ? undefined : result.signal;
  });
}

/** `<#sep>`: what stands between items; it ends with the loop when it is not closed. */
export function readSep(reader: TemplateReader, tag: Tag): Element {
  if (!reader.surroundings.isLoop) reader.cursor.fail('<#sep> belongs into a loop', tag.start);
  reader.closeTag();
  const children = reader.content();
  if (reader.isAtEnd('sep')) reader.end(tag);
  return reader.block(tag.start, children, (environment) => {
    return innermost(environment)?.hasNext ? runAll(children, environment) : undefined;
  });
}

/** `<#break>` and `<#continue>`. */
export function readJump(reader: TemplateReader, { name, start }: Tag): Element {
  const { isBreakable, isLoop } = reader.surroundings;
  if (name === 'break' ? !isBreakable : !isLoop) {
    reader.cursor.fail(`<#${name}> is not within a loop${name === 'break' ? ' or <#switch>' : ''}`, start);
  }
  reader.closeTag();
  return reader.element(start, { run: () => (name === 'break' ? 'break' : 'continue') });
}

function loopNames({ surroundings }: TemplateReader, names: LoopNames | undefined): ReadonlySet<string> {
  const added = names ? [names.name, names.valueName].filter((name) => name !== undefined) : [];
  return new Set([...surroundings.loopNames, ...added]);
}

function takeNames(reader: TemplateReader): LoopNames | undefined {
  const cursor: Cursor = reader.cursor;
  if (!cursor.blanks().match(/as(?=\s)/y)) return undefined;
  const name = cursor.blanks().identifier();
  if (name === undefined) cursor.failExpected('the name of a loop variable');
  const isPair = cursor.blanks().take(',');
  const valueName = isPair ? cursor.blanks().identifier() : undefined;
  if (isPair && valueName === undefined) cursor.failExpected('the second loop variable');
  if (valueName === name) cursor.fail('The two loop variables have the same name');
  return { name, valueName };
}

interface Loop {
  readonly value: Value;
  readonly list: Expression;
  readonly children: readonly Element[];
}

/** Runs a list without a loop variable once when it has items. */
function runOnce(environment: Environment, { value, list, children }: Loop): boolean | { signal: Signal } {
  const isEmpty = entriesOf(value, list, undefined).next().done === true;
  if (isEmpty) return false;
  const lists = pending.get(environment) ?? [];
  pending.set(environment, lists);
  lists.push({ value, list });
  try {
    const signal = runAll(children, environment);
    return signal === undefined ? true : { signal };
  } finally {
    lists.pop();
  }
}

/** Runs the children for each item; false when there are none. */
function runLoop(environment: Environment, loop: Loop & { names: LoopNames }): boolean | { signal: Signal } {
  const { value, list, names, children } = loop;
  const entries = entriesOf(value, list, names);
  let entry = entries.next();
  if (entry.done) return false;
  const variables = new Map<string, Value>();
  const state: LoopState = { ...names, index: 0, hasNext: false, item: undefined, value: undefined };
  return environment.within({ variables, loop: state, outer: environment.frame }, () => {
    for (; !entry.done; state.index++) {
      environment.step(list);
      const [item, second] = entry.value;
      variables.set(names.name, item);
      if (names.valueName !== undefined) variables.set(names.valueName, second);
      entry = entries.next();
      state.hasNext = !entry.done;
      const signal = runAll(children, environment);
      if (signal === 'break') break;
      if (signal === 'return') return { signal };
    }
    return true;
  });
}

function* entriesOf(value: Value, list: Blamed, names: LoopNames | undefined): Generator<readonly [Value, Value]> {
  if (names?.valueName !== undefined || (isHash(value) && value !== nothing && !names)) {
    if (!isHash(value)) throw wrongType('a hash, for two loop variables', value, list);
    for (const key of value.keys()) yield [key, value.get(key)];
    return;
  }
  const items = itemsOf(value);
  if (!items) {
    const hint = isHash(value) ? ' (a hash needs two loop variables: as key, value)' : '';
    throw wrongType(`a sequence${hint}`, value, list);
  }
  for (const item of items) yield [item, undefined];
}

function innermost(environment: Environment): LoopState | undefined {
  for (let frame = environment.frame; frame; frame = frame.outer) if (frame.loop) return frame.loop;
  return undefined;
}

function blamedAt(reader: TemplateReader, tag: Tag): Blamed {
  return { ...reader.cursor.place(tag.start), source: `<#${tag.name}>` };
}
