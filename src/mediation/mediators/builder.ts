import { nearestName } from '#errors';
import {
  builderOfClass,
  builtInClasses,
  defaultFormats,
  formatterOfClass,
  mediaTypeOf,
  type Builder,
  type Formatter,
  type Message,
  type MessageFormats,
} from '#message';
import { appendChild, type SourceNode } from '#xml';
import { CONTINUE } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { formattersProperty } from '../outgoing-format.ts';
import { synapseElement } from '../reading.ts';

interface MessageBuilder {
  readonly contentType: string;
  readonly className: string;
  readonly formatterClass: string | undefined;
}

interface Definition {
  readonly builders: readonly MessageBuilder[];
}

/** `<builder>`: reads the payload now, with other builders than the configured ones where it names some (4.9). */
export const builder = defineMediator<Definition>({
  element: 'builder',
  attributes: [],
  children: ['messageBuilder'],
  needsBody: () => true,
  parse: (node) => ({ builders: node.childrenNamed('messageBuilder').map((child) => readBuilder(child)) }),
  serialize({ builders }) {
    const element = synapseElement('builder');
    for (const { contentType, className, formatterClass } of builders) {
      appendChild(element, synapseElement('messageBuilder', { contentType, class: className, formatterClass }));
    }
    return element;
  },
  compile({ builders }): Compiled {
    const readers = new Map<string, Builder>();
    const writers = new Map<string, Formatter>();
    for (const { contentType, className, formatterClass } of builders) {
      const type = mediaTypeOf(contentType).toLowerCase();
      const reader = builderOfClass(className);
      const writer = formatterClass === undefined ? undefined : formatterOfClass(formatterClass);
      if (reader) readers.set(type, reader);
      if (writer) writers.set(type, writer);
    }
    return (message) => {
      if (readers.size > 0) message.payload.formats = withReaders(message.payload.formats ?? defaultFormats, readers);
      // Asking for JSON reads the body, whatever it is.
      const isJson = message.payload.hasJson();
      if (writers.size > 0) writeWith(message, writers, isJson);
      return CONTINUE;
    };
  },
});

function readBuilder(node: SourceNode): MessageBuilder {
  node.knowOnly(['contentType', 'class', 'formatterClass']);
  const className = node.required('class');
  const formatterClass = node.attribute('formatterClass');
  if (className !== '' && !builderOfClass(className)) reportClass(node, 'class', 'builders');
  if (formatterClass !== undefined && !formatterOfClass(formatterClass)) {
    reportClass(node, 'formatterClass', 'formatters');
  }
  return { contentType: node.required('contentType'), className, formatterClass };
}

function reportClass(node: SourceNode, attribute: string, kind: keyof typeof builtInClasses): void {
  const found = node.attribute(attribute) ?? '';
  const near = nearestName(found, builtInClasses[kind]);
  node.error(`"${attribute}" must be one of the built-in ${kind}; found "${found}"`, {
    attribute,
    code: 'MR_CLASS_UNKNOWN',
    ...(near === undefined ? {} : { hint: `did you mean ${near}?` }),
  });
}

function withReaders(formats: MessageFormats, readers: ReadonlyMap<string, Builder>): MessageFormats {
  return {
    builderFor: (contentType, hasSoapAction) =>
      readers.get(mediaTypeOf(contentType).toLowerCase()) ?? formats.builderFor(contentType, hasSoapAction),
    formatterFor: (contentType) => formats.formatterFor(contentType),
    defaultRequestType: formats.defaultRequestType,
    attachments: formats.attachments,
    blocking: formats.blocking,
  };
}

/** The message is written by these formatters; its bytes as received no longer count. */
function writeWith(message: Message, writers: ReadonlyMap<string, Formatter>, isJson: boolean): void {
  const { payload, axis2 } = message;
  axis2.set(formattersProperty, writers);
  if (payload.empty) return;
  if (isJson) payload.setJson(payload.jsonText() ?? '');
  else payload.editEnvelope();
}
