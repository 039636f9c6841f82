import { excerptOf, messageOf, MillraceError, nearestName, ProblemsError, type Position } from '#errors';
import { resolveDeployValue, synapseElement, type CompileLibrary } from '#mediation';
import { appendChild, cloneNode, firstElement, XmlText, type SourceNode, type XmlElement } from '#xml';
import type { ParameterRule } from './parameter-rules.ts';

/** The value of a parameter: its text without white space around it, or the XML element in it. */
export type ParameterValue = string | XmlElement;

/** A `<parameter>` as it is written; `key` names the local entry or registry resource that holds the value. */
export interface InboundParameter {
  readonly name: string;
  readonly key: string | undefined;
  readonly value: ParameterValue;
  /** Attributes without meaning here, for writing back: `locked` of all parameters of the original, `description`. */
  readonly notes: Readonly<Record<string, string | undefined>>;
  readonly position: Position;
  readonly excerpt: string;
}

/** What a protocol makes of its parameters, by name; a name that ends in `*` stands for all that begin so. */
export type ParameterTable = Readonly<Record<string, ParameterRule<unknown>>>;

/** Reads `<parameters>` (mediators 12). */
export function readParameters(node: SourceNode): readonly InboundParameter[] {
  const parent = node.child('parameters');
  parent?.knowOnlyChildren(['parameter']);
  return (parent?.childrenNamed('parameter') ?? []).map((child) => {
    child.knowOnly(['name', 'key', 'locked', 'description']);
    const element = firstElement(child.element);
    const position = child.position();
    return {
      name: child.required('name'),
      key: child.attribute('key'),
      value: element ? cloneNode(element) : child.text(),
      notes: { locked: child.attribute('locked'), description: child.attribute('description') },
      position,
      excerpt: excerptOf(child.document.source, position.line),
    };
  });
}

/** Writes them back; undefined without any. */
export function serializeParameters(parameters: readonly InboundParameter[]): XmlElement | undefined {
  if (parameters.length === 0) return undefined;
  const element = synapseElement('parameters');
  for (const { name, key, value, notes } of parameters) {
    const content = typeof value === 'string' ? new XmlText(value) : cloneNode(value);
    appendChild(element, synapseElement('parameter', { ...notes, name, key }, value === '' ? [] : [content]));
  }
  return element;
}

/** Reports what is wrong with parameters that are known already when they are read, and those that nobody reads. */
export function checkParameters(
  node: SourceNode,
  parameters: readonly InboundParameter[],
  { parameters: table, hasOwnParameters }: { parameters: ParameterTable; hasOwnParameters: boolean },
): void {
  const names = Object.keys(table);
  for (const parameter of parameters) {
    const { name, position, excerpt } = parameter;
    const rule = ruleOf(table, name);
    if (!rule) {
      if (hasOwnParameters) continue;
      const message = `the inbound endpoint does not know the parameter "${name}"`;
      const near = nearestName(name, names);
      const hint = near === undefined ? {} : { hint: `did you mean "${near}"?` };
      node.report({ code: 'MR_INBOUND_UNKNOWN_PARAMETER', severity: 'warning', message, position, excerpt, ...hint });
      continue;
    }
    if (!isKnownAtOnce(parameter)) continue;
    try {
      rule.read(parameter.value, name);
    } catch (error) {
      const message = messageOf(error);
      node.report({ code: 'MR_INBOUND_PARAMETER', severity: 'error', message, position, excerpt });
    }
  }
  for (const [name, rule] of Object.entries(table)) {
    if (!rule.isRequired || parameters.some((parameter) => parameter.name === name)) continue;
    node.error(`the inbound endpoint needs the parameter "${name}"`, {
      code: 'MR_INBOUND_PARAMETER',
    });
  }
}

function ruleOf(table: ParameterTable, name: string): ParameterRule<unknown> | undefined {
  if (Object.hasOwn(table, name)) return table[name];
  return Object.entries(table).find(([known]) => known.endsWith('*') && name.startsWith(known.slice(0, -1)))?.[1];
}

function isKnownAtOnce({ key, value }: InboundParameter): boolean {
  return key === undefined && (typeof value !== 'string' || !/^\$|^\{wso2:/.test(value));
}

/** The parameters of an endpoint in a world, read by the rules of its protocol. */
export interface ResolvedParameters {
  /** Undefined when it is absent. @throws ProblemsError at the place of a parameter that does not fit */
  get<T>(name: string, rule: ParameterRule<T>): T | undefined;
  readonly names: readonly string[];
}

/** Makes the parameters readable; what stands for another value is looked up now. */
export function resolveParameters(
  parameters: readonly InboundParameter[],
  library: CompileLibrary,
): ResolvedParameters {
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  return {
    names: [...byName.keys()],
    get<T>(name: string, rule: ParameterRule<T>): T | undefined {
      const parameter = byName.get(name);
      if (!parameter) return undefined;
      try {
        return rule.read(valueIn(parameter, library), name);
      } catch (error) {
        const { position, excerpt } = parameter;
        throw new ProblemsError([
          { code: 'MR_INBOUND_PARAMETER', severity: 'error', message: messageOf(error), position, excerpt },
        ]);
      }
    },
  };
}

function valueIn({ name, key, value }: InboundParameter, library: CompileLibrary): ParameterValue {
  if (key === undefined) return typeof value === 'string' ? resolveDeployValue(value, library).trim() : value;
  const text = library.resource(key);
  if (text === undefined) {
    const message = `the parameter "${name}" is in "${key}", and there is no such local entry or registry resource`;
    throw new MillraceError({ code: 'MR_INBOUND_PARAMETER', message });
  }
  return text.trimStart().startsWith('<') ? (library.xmlResource(key) ?? text) : text.trim();
}
