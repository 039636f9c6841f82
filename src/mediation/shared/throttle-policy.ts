import type { SourceNode } from '#xml';
import type { CompileLibrary } from '../context.ts';
import { isDeployValue, resolveDeployValue } from './deploy-value.ts';
import { readCallerId, type CallerId } from './throttle-callers.ts';

/** So many requests within a time, and for how long a caller is kept out who sent more. */
export interface RateLimit {
  readonly maximumCount: number;
  /** Milliseconds. */
  readonly unitTime: number;
  /** Milliseconds from the first refusal; until the end of the unit time when absent. */
  readonly prohibitTime: number | undefined;
}

/** What holds for one group of callers. */
export interface CallerGroup {
  readonly id: CallerId;
  readonly access: 'allowed' | 'denied' | RateLimit;
}

/** A throttling policy (mediators 6.2). */
export interface ThrottlePolicy {
  /** Requests that may be under way at the same time; undefined for any number. */
  readonly maximumConcurrent: number | undefined;
  readonly groups: readonly CallerGroup[];
}

/** Elements that only hold others. */
const containers = new Set([
  'Policy',
  'All',
  'ExactlyOne',
  'Control',
  'ThrottleAssertion',
  'MediatorThrottleAssertion',
  'ServiceThrottleAssertion',
  'ModuleThrottleAssertion',
]);

/** The values of one group while it is read. */
interface GroupParts {
  readonly library: CompileLibrary | undefined;
  maximumCount?: number | undefined;
  unitTime?: number | undefined;
  prohibitTime?: number | undefined;
  access?: 'allowed' | 'denied';
}

/**
 * Reads a WS-Policy with throttling assertions, in the spelling with `ExactlyOne` and `IsAllow` and in the one with
 * `Control`, `Allow` and `Deny`. What is wrong is reported at its place. Numbers that stand for values of the deployment
 * are read from the library (runtime-core 5.2); without one they are taken as right.
 */
export function readThrottlePolicy(root: SourceNode, library?: CompileLibrary): ThrottlePolicy {
  const groups: CallerGroup[] = [];
  let maximumConcurrent: number | undefined;
  const visit = (node: SourceNode): void => {
    if (node.local === 'MaximumConcurrentAccess') {
      maximumConcurrent = wholeNumber(node, 0, library);
    } else if (!containers.has(node.local)) {
      unknown(node);
    } else if (node.child('ID')) {
      const group = readGroup(node, library);
      if (group) groups.push(group);
    } else {
      for (const child of node.children()) visit(child);
    }
  };
  if (root.local === 'Policy') visit(root);
  else root.error(`a throttling policy must be a <wsp:Policy>, found <${root.local}>`);
  return { maximumConcurrent, groups };
}

function readGroup(node: SourceNode, library: CompileLibrary | undefined): CallerGroup | undefined {
  const idNode = node.child('ID');
  const id = idNode && readCallerId(idNode);
  const parts: GroupParts = { library };
  for (const child of node.children()) if (child.local !== 'ID') readPart(child, parts);
  const access = accessOf(node, parts);
  return id && access ? { id, access } : undefined;
}

function readPart(node: SourceNode, parts: GroupParts): void {
  switch (node.local) {
    case 'MaximumCount':
      parts.maximumCount = wholeNumber(node, 0, parts.library);
      return;
    case 'UnitTime':
      parts.unitTime = wholeNumber(node, 1, parts.library);
      return;
    case 'ProhibitTimePeriod':
      if (node.text() !== '') parts.prohibitTime = wholeNumber(node, 0, parts.library);
      return;
    case 'IsAllow':
      parts.access = node.text().toLowerCase() === 'true' ? 'allowed' : 'denied';
      return;
    case 'Allow':
      parts.access = 'allowed';
      return;
    case 'Deny':
      parts.access = 'denied';
      return;
    case 'ExactlyOne': {
      // Of several alternatives the first one counts.
      const [first] = node.children();
      if (first) readPart(first, parts);
      return;
    }
    default:
      if (containers.has(node.local)) for (const child of node.children()) readPart(child, parts);
      else unknown(node);
  }
}

function accessOf(node: SourceNode, parts: GroupParts): CallerGroup['access'] | undefined {
  const { maximumCount, unitTime, prohibitTime, access } = parts;
  if (access !== undefined) return access;
  if (maximumCount !== undefined && unitTime !== undefined) {
    return { maximumCount, unitTime, prohibitTime: prohibitTime === 0 ? undefined : prohibitTime };
  }
  node.error('a group of callers needs <MaximumCount> and <UnitTime>, or <IsAllow>');
  return undefined;
}

function wholeNumber(node: SourceNode, least: number, library: CompileLibrary | undefined): number | undefined {
  const written = node.text();
  if (!library && isDeployValue(written)) return least;
  const text = library ? resolveDeployValue(written, library).trim() : written;
  if (/^-?\d+$/.test(text) && Number(text) >= least && Number.isSafeInteger(Number(text))) return Number(text);
  node.error(`<${node.local}> must be a whole number of at least ${least}, found "${text}"`);
  return undefined;
}

function unknown(node: SourceNode): void {
  node.error(`a throttling policy does not know <${node.local}>`, { code: 'MR_ARTIFACT_UNKNOWN_CHILD' });
}
