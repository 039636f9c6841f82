import { parseJson, stringifyJson, type JsonValue } from '#json';
import { childElements, escapeAttribute, escapeText, ownText, parseXml, type XmlElement } from '#xml';

/** What a decision is asked about. */
export interface DecisionRequest {
  readonly subject: string;
  readonly resource: string;
  readonly action: string;
}

/** What a decision point answered. */
export interface Decision {
  /** `Permit`, `Deny`, `NotApplicable` or `Indeterminate`. */
  readonly decision: string;
  /** Elements for a flow to look at; undefined when there are none. */
  readonly obligations: XmlElement | undefined;
  readonly advice: XmlElement | undefined;
}

const categories = [
  [
    'subject',
    'urn:oasis:names:tc:xacml:1.0:subject-category:access-subject',
    'urn:oasis:names:tc:xacml:1.0:subject:subject-id',
  ],
  [
    'resource',
    'urn:oasis:names:tc:xacml:3.0:attribute-category:resource',
    'urn:oasis:names:tc:xacml:1.0:resource:resource-id',
  ],
  ['action', 'urn:oasis:names:tc:xacml:3.0:attribute-category:action', 'urn:oasis:names:tc:xacml:1.0:action:action-id'],
] as const;

/** The request as XACML 3.0. */
export function decisionRequestXml(request: DecisionRequest): string {
  const parts = categories.map(
    ([name, category, attribute]) =>
      `<Attributes Category="${escapeAttribute(category)}"><Attribute AttributeId="${escapeAttribute(attribute)}" IncludeInResult="false"><AttributeValue DataType="http://www.w3.org/2001/XMLSchema#string">${escapeText(request[name])}</AttributeValue></Attribute></Attributes>`,
  );
  return `<Request xmlns="urn:oasis:names:tc:xacml:3.0:core:schema:wd-17" CombinedDecision="false" ReturnPolicyIdList="false">${parts.join('')}</Request>`;
}

const jsonNames = { subject: 'AccessSubject', resource: 'Resource', action: 'Action' } as const;

/** The request in the JSON profile of XACML 3.0. */
export function decisionRequestJson(request: DecisionRequest): string {
  const object = (members: readonly (readonly [string, JsonValue])[]): JsonValue => new Map(members);
  const parts = categories.map(([name, , attribute]): readonly [string, JsonValue] => {
    const pair = object([
      ['AttributeId', attribute],
      ['Value', request[name]],
    ]);
    return [jsonNames[name], [object([['Attribute', [pair]]])]];
  });
  return stringifyJson(object([['Request', object(parts)]]));
}

/** Reads an XACML response. @throws Error for one without a decision */
export function readDecisionXml(text: string): Decision {
  const { root } = parseXml(text);
  const result = childElements(root).find(({ local }) => local === 'Result');
  const part = (local: string): XmlElement | undefined =>
    result && childElements(result).find((child) => child.local === local);
  const decision = part('Decision');
  if (!decision) throw new Error('the answer of the decision point holds no decision');
  return {
    decision: ownText(decision).trim(),
    obligations: part('Obligations'),
    advice: part('AssociatedAdvice'),
  };
}

/** Reads a response in the JSON profile; what comes with the decision becomes XML of its identifiers. */
export function readDecisionJson(text: string): Decision {
  const member = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
    value instanceof Map ? value.get(name) : undefined;
  const response = member(parseJson(text), 'Response');
  const result = Array.isArray(response) ? response[0] : response;
  const decision = member(result, 'Decision');
  if (typeof decision !== 'string') throw new Error('the answer of the decision point holds no decision');
  const list = (name: string, outer: string, inner: string): XmlElement | undefined => {
    const found = member(result, name);
    const items: readonly JsonValue[] = Array.isArray(found) ? found : [];
    return items.length === 0 ? undefined : listElement(items, outer, inner);
  };
  return {
    decision,
    obligations: list('Obligations', 'Obligations', 'Obligation'),
    advice: list('AssociatedAdvice', 'AssociatedAdvice', 'Advice'),
  };
}

function listElement(items: readonly JsonValue[], outer: string, inner: string): XmlElement {
  const idName = `${inner}Id`;
  const texts = items.map((item) => {
    const id = item instanceof Map ? (item.get('Id') ?? item.get(idName)) : undefined;
    return `<${inner} ${idName}="${escapeAttribute(typeof id === 'string' ? id : '')}"/>`;
  });
  return parseXml(`<${outer} xmlns="urn:oasis:names:tc:xacml:3.0:core:schema:wd-17">${texts.join('')}</${outer}>`).root;
}
