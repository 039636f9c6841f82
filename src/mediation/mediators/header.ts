import { removeHeader, setHeader, type Message } from '#message';
import {
  appendChild,
  childElements,
  cloneNode,
  detach,
  headerOf,
  parseXml,
  XmlElement,
  XmlText,
  type SourceNode,
} from '#xml';
import { CONTINUE } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import {
  declareNamespaces,
  readExpression,
  readValue,
  synapseElement,
  type ExpressionSource,
  type ValueSource,
  warnOfOthers,
} from '../reading.ts';

/** The addressing values that have a name of their own in the default scope. */
const addressingNames = {
  To: 'to',
  From: 'from',
  Action: 'action',
  FaultTo: 'faultTo',
  ReplyTo: 'replyTo',
  RelatesTo: 'relatesTo',
} as const;
type AddressingName = keyof typeof addressingNames;

interface Definition {
  readonly name: ValueSource | undefined;
  readonly value: string | undefined;
  readonly expression: ExpressionSource | undefined;
  readonly inline: readonly XmlElement[];
  readonly scope: 'default' | 'transport';
  readonly action: 'set' | 'remove';
  readonly type: 'STRING' | 'OM';
  /** Namespace and prefix of a SOAP header block; undefined for addressing values. */
  readonly block: { readonly prefix: string; readonly uri: string; readonly local: string } | undefined;
}

/** `<header>`: sets or removes a SOAP header, an addressing value or a transport header (mediators 4.3). */
export const header = defineMediator<Definition>({
  element: 'header',
  attributes: ['name', 'value', 'expression', 'scope', 'action', 'type'],
  needsBody: ({ scope, expression, block, inline }) =>
    expression?.expression.contentAware === true || (scope === 'default' && (block !== undefined || inline.length > 0)),
  parse(node) {
    const inline = childElements(node.element).filter(({ local }) => local !== 'description');
    const scope = node.choice('scope', ['default', 'transport', 'synapse'], 'default');
    const action = node.choice('action', ['set', 'remove'], 'set');
    const value = node.rawAttribute('value');
    // Blocks are added to the SOAP header only.
    const addsBlocks = inline.length > 0 && scope !== 'transport' && action === 'set';
    if (!addsBlocks) node.required('name');
    if (action === 'set' && value === undefined && node.attribute('expression') === undefined && !addsBlocks) {
      const ways =
        scope === 'transport' ? 'either "value" or "expression"' : 'one of "value", "expression" or an XML child';
      node.error(`<header> needs ${ways}`, { code: 'MR_ARTIFACT_ATTRIBUTE' });
    }
    warnOfUnused(node, { inline, addsBlocks, action });
    return {
      name: readValue(node, 'name'),
      value,
      expression: readExpression(node, 'expression'),
      inline: addsBlocks ? inline : [],
      scope: scope === 'transport' ? 'transport' : 'default',
      action,
      type: node.choice('type', ['STRING', 'OM'], 'STRING'),
      block: scope === 'transport' ? undefined : readBlock(node),
    };
  },
  serialize({ name, value, expression, inline, scope, action, type, block }) {
    const element = synapseElement('header', {
      name: name?.text,
      value,
      expression: expression?.text,
      scope: scope === 'default' ? undefined : scope,
      action: action === 'set' ? undefined : action,
      type: type === 'STRING' ? undefined : type,
    });
    if (block) element.declarations.push({ prefix: block.prefix, uri: block.uri });
    for (const child of inline) appendChild(element, cloneNode(child));
    return declareNamespaces(element, [name, expression]);
  },
  compile(definition): Compiled {
    const apply = definition.scope === 'transport' ? applyTransport(definition) : applyDefault(definition);
    return (message) => {
      apply(message);
      return CONTINUE;
    };
  },
});

/** What is written and counts for nothing, because something else is written too. */
function warnOfUnused(
  node: SourceNode,
  { inline, addsBlocks, action }: { inline: readonly XmlElement[]; addsBlocks: boolean; action: Definition['action'] },
): void {
  const code = 'MR_ARTIFACT_TWO_VALUES';
  if (action === 'set' && !addsBlocks) warnOfOthers(node, ['value', 'expression']);
  for (const attribute of addsBlocks ? ['value', 'expression'] : []) {
    if (node.rawAttribute(attribute) === undefined) continue;
    node.warn(`<header> has an XML child, so that "${attribute}" is ignored`, { attribute, code });
  }
  for (const element of addsBlocks ? [] : inline) {
    node
      .wrap(element)
      .warn(`only a header that is set in the scope "default" takes an XML child; <${element.local}> is ignored`, {
        code,
      });
  }
}

function readBlock(node: SourceNode): Definition['block'] {
  const name = node.attribute('name');
  if (name === undefined || name in addressingNames || name.startsWith('{')) return undefined;
  const [prefix, local] = name.includes(':') ? name.split(':', 2) : ['', name];
  const uri = prefix === '' ? undefined : node.namespaces().get(prefix ?? '');
  if (uri === undefined || local === undefined || prefix === undefined) {
    const known = Object.keys(addressingNames).join(', ');
    node.error(`"name" must be one of ${known}, or prefix:name with a declared prefix; found "${name}"`, {
      attribute: 'name',
    });
    return undefined;
  }
  return { prefix, uri, local };
}

function valueOf({ value, expression }: Definition, message: Message): string {
  return value ?? expression?.expression.evaluateString(message) ?? '';
}

function applyTransport(definition: Definition): (message: Message) => void {
  const { name, action } = definition;
  return (message) => {
    const field = name?.value.evaluate(message) ?? '';
    if (action === 'remove') removeHeader(message.headers, field);
    else setHeader(message.headers, field, valueOf(definition, message));
  };
}

function applyDefault(definition: Definition): (message: Message) => void {
  const { inline, action, block, type } = definition;
  if (inline.length > 0) {
    return (message) => {
      const soapHeader = headerOf(message.payload.editEnvelope());
      for (const element of inline) appendChild(soapHeader, cloneNode(element));
    };
  }
  if (!block) return applyAddressing(definition);
  if (action === 'remove') return (message) => removeBlocks(message, block.local, block.uri);
  return (message) => {
    const element = new XmlElement(block.local, block.uri, block.prefix);
    element.declarations.push({ prefix: block.prefix, uri: block.uri });
    const text = valueOf(definition, message);
    appendChild(element, type === 'OM' ? parseXml(text).root : new XmlText(text));
    removeBlocks(message, block.local, block.uri);
    appendChild(headerOf(message.payload.editEnvelope()), element);
  };
}

function removeBlocks(message: Message, local: string, uri: string): void {
  const soapHeader = headerOf(message.payload.editEnvelope());
  for (const child of childElements(soapHeader)) if (child.local === local && child.uri === uri) detach(child);
}

function applyAddressing(definition: Definition): (message: Message) => void {
  return (message) => {
    const name = definition.name?.value.evaluate(message) as AddressingName | undefined;
    const field = name && addressingNames[name];
    if (!field) return;
    message.addressing[field] = definition.action === 'remove' ? undefined : valueOf(definition, message);
  };
}
