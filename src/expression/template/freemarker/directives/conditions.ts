import { conditionOf, required } from '../convert.ts';
import { compare } from '../operators.ts';
import { runAll, type Element } from '../element.ts';
import type { Signal } from '../environment.ts';
import type { Expression } from '../expression.ts';
import type { Tag, TemplateReader } from '../reader.ts';

interface Branch {
  /** Undefined for `<#else>` and `<#default>`. */
  readonly test: Expression | undefined;
  readonly children: Element[];
}

/** `<#if>` with its `<#elseif>` and `<#else>`. */
export function readIf(reader: TemplateReader, tag: Tag): Element {
  const branches: Branch[] = [];
  const blocks: Element[] = [];
  let start = tag.start;
  let test: Expression | undefined = reader.expression();
  for (;;) {
    if (test) reader.closeTag();
    const children = reader.content();
    branches.push({ test, children });
    blocks.push(reader.block(start, children));
    const divider = reader.divider();
    if (divider !== 'elseif' && divider !== 'else') break;
    if (!test) reader.cursor.fail(`<#${divider}> stands after <#else>`);
    start = reader.takeDivider().start;
    test = divider === 'elseif' ? reader.expression() : undefined;
    if (!test) reader.closeTag();
  }
  reader.end(tag);
  return reader.block(tag.start, blocks, (environment) => {
    for (const { test, children } of branches) {
      if (!test || conditionOf(environment, test)) return runAll(children, environment);
    }
    return undefined;
  });
}

/** `<#switch>`: the first case that fits and all after it, up to `<#break>`; else from `<#default>` on. */
export function readSwitch(reader: TemplateReader, tag: Tag): Element {
  const value = reader.expression();
  reader.closeTag();
  const before = reader.content();
  for (const { text, kind } of before) {
    if (kind !== 'silent' && (kind !== 'text' || text.trim() !== '')) {
      reader.cursor.fail('Only blanks and comments may stand before the first <#case>', tag.start);
    }
  }
  const branches: Branch[] = [];
  const blocks: Element[] = [];
  reader.within({ isBreakable: true }, () => {
    for (let divider = reader.divider(); divider === 'case' || divider === 'default'; divider = reader.divider()) {
      const { start } = reader.takeDivider();
      const test = divider === 'case' ? reader.expression() : undefined;
      if (!test && branches.some((branch) => !branch.test)) reader.cursor.fail('There is a second <#default>', start);
      reader.closeTag();
      const children = reader.content();
      branches.push({ test, children });
      blocks.push(reader.block(start, children));
    }
  });
  reader.end(tag);
  return reader.block(tag.start, blocks, (environment): Signal => {
    const first = required(environment, value);
    let index = branches.findIndex(({ test }) => {
      if (!test) return false;
      const second = required(environment, test);
      return compare('==', { first, second, left: value, right: test }, test);
    });
    if (index < 0) index = branches.findIndex(({ test }) => !test);
    for (const { children } of index < 0 ? [] : branches.slice(index)) {
      const signal = runAll(children, environment);
      if (signal === 'break') return undefined;
      if (signal !== undefined) return signal;
    }
    return undefined;
  });
}
