import { excerptOf, type Position, type Problem } from '#errors';
import {
  createParseContext,
  mediatorsByElement,
  synapseNamespace,
  type ParseContext,
  type Reference,
} from '#mediation';
import { parseXml, SourceNode, XmlError, type XmlDocument } from '#xml';
import type { AnyArtifactKind, Artifact } from './artifact.ts';
import { endpointOfConnection } from './http-connection.ts';

/** What one artifact file gave. */
export interface ReadResult {
  readonly artifacts: readonly Artifact[];
  readonly problems: readonly Problem[];
  /** Names of other artifacts, for the check of what does not exist. */
  readonly references: readonly PlacedReference[];
}

/** The name of another artifact or resource, with its place; nothing of the document is kept. */
export interface PlacedReference extends Pick<Reference, 'kind' | 'key'> {
  readonly position: Position;
  readonly excerpt: string;
}

/** Kinds of the original that are not served yet: named in the message, so that a project says what it is missing. */
const knownElsewhere = new Set(['data', 'eventSource', 'connection']);
/** Elements that configure the original's engine and are no artifacts. */
const engineSettings = new Set(['registry', 'taskManager', 'description', 'taskScheduler']);

/**
 * Reads the text of an artifact file: one artifact, or a `<definitions>` file with any number of them. Everything
 * that is wrong with it is in `problems`, with its place.
 */
export function readArtifacts(text: string, file: string, kinds: readonly AnyArtifactKind[]): ReadResult {
  const problems: Problem[] = [];
  const references: PlacedReference[] = [];
  const document = parse(text, file, problems);
  if (!document) return { artifacts: [], problems, references };
  const report = (problem: Problem): void => {
    problems.push(problem);
  };
  const context = createParseContext(mediatorsByElement, report, ({ kind, key, node, attribute }) => {
    const position = node.position(attribute);
    references.push({ kind, key, position, excerpt: excerptOf(text, position.line) });
  });
  const root = new SourceNode(document, document.root, report);
  const nodes = root.local === 'definitions' ? root.children() : [root];
  const artifacts = nodes.flatMap((node) => {
    const kind = kinds.find((candidate) => candidate.element === node.local);
    if (kind) {
      const artifact = kind.read(node, context);
      node.warnUnread();
      return [artifact, ...readConnection(node, kinds, context)];
    }
    if (!engineSettings.has(node.local)) reportUnknownKind(node, kinds);
    return [];
  });
  problems.sort((left, right) => comparePlaces(left.position, right.position));
  return { artifacts, problems, references };
}

/** What a connection in a local entry deploys besides itself. */
function readConnection(node: SourceNode, kinds: readonly AnyArtifactKind[], context: ParseContext): Artifact[] {
  const element = node.local === 'localEntry' ? endpointOfConnection(node.element) : undefined;
  const kind = kinds.find((candidate) => candidate.element === 'endpoint');
  return element && kind ? [kind.read(node.wrap(element), context)] : [];
}

function comparePlaces(left: Position | undefined, right: Position | undefined): number {
  if (!left || !right) return 0;
  return left.line - right.line || left.column - right.column;
}

function parse(text: string, file: string, problems: Problem[]): XmlDocument | undefined {
  try {
    return parseXml(text, { file, positions: true });
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    problems.push({
      code: String(error.code),
      severity: 'error',
      message: error.message,
      position: error.position,
      excerpt: excerptOf(text, error.position.line),
    });
    return undefined;
  }
}

function reportUnknownKind(node: SourceNode, kinds: readonly AnyArtifactKind[]): void {
  const known = kinds.map((kind) => kind.element).join(', ');
  const isForeign = node.element.uri !== synapseNamespace && !knownElsewhere.has(node.local);
  const reason = knownElsewhere.has(node.local) ? 'is not supported yet' : 'is no artifact';
  const message = `<${node.local}> ${reason}; expected one of ${known}`;
  // A stray XML file of another kind beside the artifacts harms nobody; an artifact that is not served does.
  if (isForeign) node.warn(message, { code: 'MR_ARTIFACT_KIND' });
  else node.error(message, { code: 'MR_ARTIFACT_KIND' });
}
