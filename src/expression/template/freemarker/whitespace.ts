import type { Element } from './element.ts';

/**
 * Takes away the white space around tags: of a line that holds nothing but tags, its indentation and its end; and what
 * `<#t>`, `<#lt>` and `<#rt>` say. Afterwards blank texts between definitions are dropped.
 *
 * @param isStripping false when the header says `strip_whitespace=false`; the trimming tags count all the same
 */
export function stripWhitespace(root: Element, isStripping: boolean): void {
  // A text that is the whole template stays as it is.
  if (root.children.length === 1 && root.children[0]?.kind === 'text') return;
  link(root);
  clean(root, { root, isStripping, hasTrims: hasTrims(root) });
}

/** True when there is a trimming tag anywhere; most templates have none. */
function hasTrims(element: Element): boolean {
  return element.trim !== undefined || element.children.some((child) => hasTrims(child));
}

function link(element: Element): void {
  let previous: Element | undefined;
  for (const child of element.children) {
    child.parent = element;
    child.previous = previous;
    if (previous) previous.next = child;
    previous = child;
    link(child);
  }
}

interface Rules {
  readonly root: Element;
  readonly isStripping: boolean;
  readonly hasTrims: boolean;
}

function clean(element: Element, rules: Rules): void {
  for (const child of element.children) {
    if (child.kind === 'text') stripText(child, rules);
    else clean(child, rules);
  }
  // What is dropped changes the neighbours of what follows. The list itself stays, since directives hold it.
  let kept = 0;
  for (const child of element.children) {
    // Trimming tags have had their effect on what stands beside them.
    if (child.trim || isIgnorable(child, rules.root, rules.isStripping)) unlink(child);
    else element.children[kept++] = child;
  }
  element.children.length = kept;
}

function unlink({ previous, next }: Element): void {
  if (previous) previous.next = next;
  if (next) next.previous = previous;
}

function stripText(text: Element, { root, isStripping, hasTrims }: Rules): void {
  if (text.text === '') return;
  const isLeftTrimmed = hasTrims && trimLeft(text);
  const isRightTrimmed = hasTrims && trimRight(text);
  if (!isStripping || text.text === '') return;
  if (text.parent === root && !text.previous) return;
  const trailing = isLeftTrimmed ? 0 : trailingToStrip(text);
  const opening = isRightTrimmed ? 0 : openingToStrip(text);
  if (opening === 0 && trailing === 0) return;
  text.text = text.text.slice(opening, Math.max(opening, text.text.length - trailing));
  if (opening > 0) text.begin = { line: text.begin.line + 1, column: 1 };
}

/** Looks at what follows on the line for a tag that trims to its left; true when there is one, or `<#nt>`. */
function trimLeft(text: Element): boolean {
  let isTrimmed = false;
  for (const { trim } of onLineAfter(text)) {
    if (!trim) continue;
    if (trim.left || !trim.right) isTrimmed = true;
    if (!trim.left) continue;
    const lastLine = text.text.lastIndexOf('\n') + 1;
    if (lastLine > 0 || text.begin.column === 1) {
      text.text = text.text.slice(0, lastLine) + text.text.slice(lastLine).trimStart();
    }
    return true;
  }
  return isTrimmed;
}

/** The same to the right, for tags before the text on its first line. */
function trimRight(text: Element): boolean {
  let isTrimmed = false;
  for (const { trim } of onLineBefore(text)) {
    if (!trim) continue;
    if (trim.right || !trim.left) isTrimmed = true;
    if (!trim.right) continue;
    const firstEnd = text.text.indexOf('\n') + 1;
    if (firstEnd === 0) return false;
    const opening = text.text.slice(0, firstEnd);
    let trailing = text.text.slice(firstEnd);
    if (opening.trim() === '') {
      text.text = trailing;
      text.begin = { line: text.begin.line + 1, column: 1 };
      continue;
    }
    if (trailing.trim() === '' && isLineTrimmable(text)) trailing = '';
    text.text = opening.trimEnd() + trailing;
  }
  return isTrimmed;
}

function isLineTrimmable(text: Element): boolean {
  let isTrimmable = true;
  for (const element of onLineAfter(text)) {
    if (element.trim?.left) return true;
    if (heedsOpening(element)) isTrimmable = false;
  }
  return isTrimmable;
}

function openingToStrip(text: Element): number {
  const end = text.text.indexOf('\n') + 1;
  if (end === 0 && text.begin.column !== 1) return 0;
  if (text.text.slice(0, end).trim() !== '') return 0;
  for (const element of onLineBefore(text)) if (heedsOpening(element)) return 0;
  return end;
}

function trailingToStrip(text: Element): number {
  const start = text.text.lastIndexOf('\n') + 1;
  if (start === 0 && text.begin.column !== 1) return 0;
  if (text.text.slice(start).trim() !== '') return 0;
  for (const element of onLineAfter(text)) if (heedsTrailing(element)) return 0;
  return text.text.length - start;
}

/** True for elements whose output makes the blanks behind them on the line count. */
function heedsOpening(element: Element): boolean {
  if (element.kind !== 'text') return element.kind === 'interpolation';
  if (isBlankBetweenSilent(element)) return false;
  const lastLine = element.text.slice(element.text.lastIndexOf('\n') + 1);
  return lastLine.trim() !== '' || !element.text.includes('\n');
}

/** True for elements whose output makes the blanks before them on the line count. */
function heedsTrailing(element: Element): boolean {
  if (element.kind !== 'text') return element.kind === 'interpolation';
  if (isBlankBetweenSilent(element)) return false;
  const end = element.text.search(/[\r\n]/);
  return end < 0 || element.text.slice(0, end).trim() !== '';
}

function isBlankBetweenSilent(text: Element): boolean {
  let root = text;
  while (root.parent) root = root.parent;
  return isIgnorable(text, root, true);
}

/** Blank texts between definitions, assignments and comments put nothing out. */
function isIgnorable(element: Element, root: Element, isStripping: boolean): boolean {
  if (element.kind !== 'text') return false;
  if (element.text === '') return true;
  if (!isStripping || element.text.trim() !== '') return false;
  const isSilent = (side: -1 | 1): boolean => {
    const neighbour = sibling(element, side);
    return neighbour ? neighbour.kind === 'silent' || neighbour.kind === 'macro' : element.parent === root;
  };
  return isSilent(-1) && isSilent(1);
}

function* onLineAfter(text: Element): Generator<Element> {
  for (let element = leafAfter(text); element && element.begin.line === text.endLine; element = leafAfter(element)) {
    yield element;
  }
}

function* onLineBefore(text: Element): Generator<Element> {
  for (let element = leafBefore(text); element && element.endLine === text.begin.line; element = leafBefore(element)) {
    yield element;
  }
}

function leafAfter(element: Element): Element | undefined {
  for (let current: Element | undefined = element; current; current = current.parent) {
    const next = sibling(current, 1);
    if (next) return leaf(next, 0);
  }
  return undefined;
}

function leafBefore(element: Element): Element | undefined {
  for (let current: Element | undefined = element; current; current = current.parent) {
    const previous = sibling(current, -1);
    if (previous) return leaf(previous, -1);
  }
  return undefined;
}

/** The first or last element within that has nothing within; definitions count as a whole. */
function leaf(element: Element, side: 0 | -1): Element {
  let current = element;
  while (current.kind !== 'macro' && current.kind !== 'capture') {
    const child = current.children.at(side);
    if (!child) return current;
    current = child;
  }
  return current;
}

function sibling(element: Element, step: -1 | 1): Element | undefined {
  return step < 0 ? element.previous : element.next;
}
