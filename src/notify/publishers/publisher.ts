import { ProblemsError, type Problem } from '#errors';
import { childElements, deepText, parseXml, serializeXml, SourceNode, XmlError } from '#xml';
import { mappingTypes, type Mapping } from './mapping.ts';

/** What takes the events of a stream to an adapter. */
export interface Publisher {
  readonly name: string;
  /** Whose events: `name:version`. */
  readonly stream: string;
  readonly mapping: Mapping;
  /** Kind of the output adapter: `email` or `http`. */
  readonly adapter: string;
  /** Properties of the adapter by their exact names. */
  readonly properties: ReadonlyMap<string, string>;
  /** Section whose mail server counts where the properties name none; `output_adapter.email` when absent. */
  readonly mailSection?: 'apim.notifications';
}

/**
 * Reads one file of `eventpublishers` (identity 6.6).
 *
 * @throws ProblemsError with everything that is wrong in it
 */
export function parsePublisher(text: string, file: string): Publisher {
  const problems: Problem[] = [];
  const root = rootOf(text, file, (problem) => problems.push(problem));
  const publisher = readPublisher(root);
  if (problems.length > 0) throw new ProblemsError(problems);
  return publisher;
}

function rootOf(text: string, file: string, report: (problem: Problem) => void): SourceNode {
  try {
    const document = parseXml(text, { file, positions: true });
    return new SourceNode(document, document.root, report);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    const { position, excerpt } = error;
    throw new ProblemsError([
      { code: 'MR_PUBLISHER_XML', severity: 'error', message: error.message, position, excerpt },
    ]);
  }
}

function readPublisher(root: SourceNode): Publisher {
  if (root.local !== 'eventPublisher') {
    root.error(`Expected <eventPublisher>, found <${root.local}>`, { code: 'MR_PUBLISHER' });
  }
  const from = needed(root, 'from');
  const to = needed(root, 'to');
  return {
    name: root.required('name'),
    stream: `${from?.required('streamName') ?? ''}:${from?.required('version') ?? ''}`,
    mapping: readMapping(root),
    adapter: to?.required('eventAdapterType') ?? '',
    properties: new Map(
      (to?.childrenNamed('property') ?? []).map((property) => {
        if (property.attribute('encrypted') === 'true') {
          property.error('An encrypted property cannot be read here; write the value itself', {
            attribute: 'encrypted',
            code: 'MR_PUBLISHER_ENCRYPTED',
          });
        }
        return [property.required('name'), property.text().trim()] as const;
      }),
    ),
  };
}

function readMapping(root: SourceNode): Mapping {
  const mapping = needed(root, 'mapping');
  const type = mapping?.choice('type', mappingTypes, 'text') ?? 'text';
  if (!mapping || mapping.attribute('customMapping') === 'disable') return { type, inline: undefined };
  const inline = mapping.child('inline');
  if (!inline) {
    mapping.error('A custom mapping needs the element <inline>', { code: 'MR_PUBLISHER' });
    return { type, inline: undefined };
  }
  const elements = childElements(inline.element);
  const isXml = type === 'xml' && elements.length > 0;
  return {
    type,
    inline: isXml ? elements.map((each) => serializeXml(each)).join('') : deepText(inline.element).trim(),
  };
}

function needed(root: SourceNode, name: string): SourceNode | undefined {
  const child = root.child(name);
  if (!child) root.error(`<eventPublisher> needs the element <${name}>`, { code: 'MR_PUBLISHER' });
  return child;
}
