/** Where a mediator stands, as the debugger's protocol says it (mediators 18). */
export interface DebugPlace {
  /** The list of mediators that holds it, such as `api:Orders/resource:0/in` or `sequence:Price`. */
  readonly list: string;
  /** Indexes through nested lists, separated by blanks. */
  readonly position: string;
  /** The inbound endpoint by which a client has named the list, one of its sequences. */
  readonly inbound?: { readonly name: string; readonly sequence: InboundSequence };
}

/** The sequences of an inbound endpoint, both named ones, by their sequence types. */
export type InboundSequence = 'inbound_seq' | 'inbound_faultseq';

/** The lists that an artifact has of its own. */
const ownLists =
  /^(?:sequence:[^/]+|template:[^/]+|(?:proxy:[^/]+|api:[^/]+\/resource:\d+)\/(?:in|out|fault))(?:\/fault)?(?=\/)/;

/** Index of a branch: the other one of a condition comes first, and so does the default of a choice. */
const branches: ReadonlyMap<string, string> = new Map([
  ['else', '0'],
  ['then', '1'],
  ['default', '0'],
]);

/** The place of a mediator by its identity; undefined for what the protocol has no name for. */
export function placeOf(id: string): DebugPlace | undefined {
  const list = ownLists.exec(id)?.[0];
  if (list === undefined) return undefined;
  const parts = id.slice(list.length + 1).split('/');
  return { list, position: parts.flatMap(indexOf).join(' ') };
}

/** The index that a part of an identity stands for; none for the list that a mediator like `iterate` has. */
function indexOf(part: string): string[] {
  if (/^\d+$/.test(part)) return [part];
  const branch = branches.get(part);
  if (branch !== undefined) return [branch];
  const [name, index] = part.split(':');
  if (index === undefined) return [];
  return [name === 'case' ? String(Number(index) + 1) : index];
}

/** The two parts of a place as one key. */
export function keyOf({ list, position }: DebugPlace): string {
  return `${list}#${position}`;
}
