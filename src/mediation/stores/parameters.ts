import { messageOf } from '#errors';
import { appendChild, type SourceNode, type XmlElement } from '#xml';
import { declareNamespaces, expressionSource, synapseElement, textElement, type ExpressionSource } from '../reading.ts';
import { deployNode, isDeployValue, resolveDeployValue } from '../shared/deploy-value.ts';
import type { CompileLibrary } from '../context.ts';

/** A `<parameter>` of a store or processor: its text, the key of a resource that holds it, or an expression. */
export interface Parameter {
  readonly name: string;
  readonly text: string;
  readonly key: string | undefined;
  readonly expression: ExpressionSource | undefined;
  readonly node: SourceNode;
}

/** Parameters by name; of several with one name the last one counts, as in the original. */
export type Parameters = readonly Parameter[];

export function readParameters(node: SourceNode): Parameters {
  return node.childrenNamed('parameter').map((child): Parameter => {
    child.knowOnly(['name', 'key', 'expression', 'description']);
    const expression = child.attribute('expression');
    return {
      name: child.required('name'),
      text: child.text(),
      key: child.attribute('key'),
      expression: expression === undefined ? undefined : expressionSource(child, expression, 'expression'),
      node: child,
    };
  });
}

export function appendParameters(element: XmlElement, parameters: Parameters): XmlElement {
  for (const { name, text, key, expression } of parameters) {
    const child = text === '' ? synapseElement('parameter') : textElement('parameter', text);
    const attributes = { name, key, expression: expression?.text };
    for (const [local, value] of Object.entries(attributes)) {
      if (value !== undefined) child.attributes.push({ prefix: '', local, uri: '', value });
    }
    appendChild(element, declareNamespaces(child, [expression]));
  }
  return element;
}

/** The parameter of a name; undefined when it is not written. */
export function parameterOf(parameters: Parameters, name: string): Parameter | undefined {
  return parameters.findLast((parameter) => parameter.name === name);
}

/** Warns about parameters that nothing reads, with the nearest name that is read. */
export function knowParameters(parameters: Parameters, isKnown: (name: string) => boolean, kind: string): void {
  for (const { name, node } of parameters) {
    if (name !== '' && !isKnown(name)) {
      node.warn(`${kind} has no parameter "${name}"; it is ignored`, {
        attribute: 'name',
        code: 'MR_PARAMETER_UNKNOWN',
      });
    }
  }
}

/** A whole number; what is none is reported. What is known only at deployment is the fallback until then. */
export function integerParameter(parameters: Parameters, name: string, fallback: number): number {
  const parameter = parameterOf(parameters, name);
  if (!parameter || parameter.text === '' || isDeployValue(parameter.text)) return fallback;
  if (/^-?\d{1,15}$/.test(parameter.text)) return Number(parameter.text);
  parameter.node.error(`"${name}" must be a whole number, found "${parameter.text}"`, { code: 'MR_PARAMETER_VALUE' });
  return fallback;
}

/** True for `true` in any case; anything but `false` else is named, and is false as in the original. */
export function flagParameter(parameters: Parameters, name: string, fallback: boolean): boolean {
  return switchParameter(parameters, name, ['true', 'false']) ?? fallback;
}

/** Whether a parameter says the first of two words, in any case; undefined where nothing is written. */
export function switchParameter(
  parameters: Parameters,
  name: string,
  [on, off]: readonly [string, string],
): boolean | undefined {
  const parameter = parameterOf(parameters, name);
  const text = parameter?.text.toLowerCase() ?? '';
  if (!parameter || text === '' || isDeployValue(parameter.text)) return undefined;
  if (text !== on && text !== off) {
    const message = `"${name}" must be ${on} or ${off}; "${parameter.text}" means ${off}`;
    parameter.node.warn(message, { code: 'MR_PARAMETER_VALUE' });
  }
  return text === on;
}

export function textParameter(parameters: Parameters, name: string): string | undefined {
  const text = parameterOf(parameters, name)?.text;
  return text === '' ? undefined : text;
}

/**
 * The parameters when the artifact is deployed: each with the text of its resource, and with the value that its text
 * stands for (mediators 1.3). What is reported about one of them from now on fails the deployment.
 *
 * @throws ProblemsError at the place of a parameter that has no value
 */
export function deployParameters(parameters: Parameters, library: CompileLibrary): Parameters {
  return parameters.map((parameter) => {
    const { key } = parameter;
    const isKnown = key === undefined && !isDeployValue(parameter.text);
    const node = deployNode(parameter.node, isKnown ? 'checked' : 'new');
    const text = key === undefined ? parameter.text : (library.resource(key) ?? '').trim();
    try {
      return { ...parameter, key: undefined, text: resolveDeployValue(text, library).trim(), node };
    } catch (error) {
      node.error(messageOf(error), { code: 'MR_PARAMETER_VALUE' });
      throw error;
    }
  });
}
