import { MillraceError, synapseCodes } from '#errors';
import { appendChild, cloneNode, XmlElement, XmlText, type SourceNode } from '#xml';
import type { CompileContext } from '../context.ts';
import type { CompiledEndpoint, EndpointParseContext, ReadEndpoint } from '../endpoint.ts';
import { synapseElement } from '../reading.ts';
import { resolveDeployValue } from '../shared/deploy-value.ts';
import type { EndpointTemplate } from '../template.ts';
import { EndpointFault } from './endpoint-fault.ts';
import { parseDetached } from './find-endpoint.ts';

interface Parameter {
  readonly name: string;
  readonly value: string;
}

/** `<endpoint template="…" uri="…">` with parameters: an endpoint made from a template (runtime-core 5.1). */
export function readTemplateEndpoint(node: SourceNode, context: EndpointParseContext): ReadEndpoint {
  node.knowOnlyChildren(['parameter', 'property']);
  const template = node.attribute('template') ?? '';
  const uri = node.attribute('uri');
  context.refer({ kind: 'template', key: template, node, attribute: 'template' });
  const parameters = node.childrenNamed('parameter').map((child): Parameter => {
    child.knowOnly(['name', 'value']);
    return { name: child.required('name'), value: child.attribute('value') ?? '' };
  });
  return {
    attributes: { template, uri },
    serialize: () => parameters.map(({ name, value }) => synapseElement('parameter', { name, value })),
    compile(name, compileContext) {
      const { library } = compileContext;
      const found = library.endpointTemplate(template);
      if (!found) return missing(name, template);
      const resolve = (text: string): string => resolveDeployValue(text, library);
      const values = new Map(parameters.map((parameter) => [parameter.name, resolve(parameter.value)]));
      values.set('name', name);
      if (uri !== undefined) values.set('uri', resolve(uri));
      const element = fill(found, values, compileContext);
      const { file, source } = found;
      return named(name, parseDetached(element, { file, source }, context.parseEndpoint).compile(compileContext));
    },
  };
}

/** A template that exists only in the name: the message that gets here fails, not the deployment. */
function missing(name: string, template: string): CompiledEndpoint {
  return {
    name,
    isReady: () => false,
    status: () => ({ name, state: 'off', members: [] }),
    switchOff: () => undefined,
    switchOn: () => undefined,
    send: () =>
      Promise.reject(
        new EndpointFault({
          code: synapseCodes.endpointKeyNotFound,
          message: `Couldn't find the endpoint template with the name : ${template}`,
        }),
      ),
  };
}

/** A literal name in the body of a template is that of the endpoints which are made from it. */
function named(name: string, endpoint: CompiledEndpoint): CompiledEndpoint {
  return endpoint.name === name ? endpoint : { ...endpoint, name };
}

/**
 * A copy of the template's endpoint in which the values take their places.
 *
 * @throws MillraceError `MR_ENDPOINT_PARAMETER` for a mandatory parameter or a property of the process without a value
 */
function fill(
  { name: template, parameters, body }: EndpointTemplate,
  given: ReadonlyMap<string, string>,
  { library }: CompileContext,
): XmlElement {
  const values = new Map(given);
  const known = new Set(['name', 'uri']);
  for (const { name, mandatory, defaultValue } of parameters) {
    known.add(name);
    if (values.has(name)) continue;
    if (defaultValue !== undefined) values.set(name, defaultValue);
    else if (mandatory) throw wrong(`The endpoint template ${template} needs a value for "${name}"`);
  }
  const valueOf = (text: string): string => {
    const trimmed = text.trim();
    const name = trimmed.startsWith('$') ? trimmed.slice(1) : '';
    const filled = known.has(name) ? (values.get(name) ?? '') : text;
    return filled.replaceAll(/\{system\.prop\.([^}]+)\}/g, (_, property: string) => {
      const value = library.external('system', property);
      if (value !== undefined) return value;
      throw wrong(`The endpoint template ${template} names the system property "${property}", which has no value`);
    });
  };
  const copy = (element: XmlElement): XmlElement => {
    const result = new XmlElement(element.local, element.uri, element.prefix);
    // Findings about the endpoint show the place in the template.
    result.offset = element.offset;
    result.declarations = [...element.declarations];
    result.attributes = element.attributes.map((attribute) => ({ ...attribute, value: valueOf(attribute.value) }));
    for (const child of element.children) {
      if (child.kind === 'element') appendChild(result, copy(child));
      else if (child.kind === 'text') appendChild(result, new XmlText(valueOf(child.value), child.cdata));
      else appendChild(result, cloneNode(child));
    }
    return result;
  };
  return copy(body);
}

function wrong(message: string): MillraceError {
  return new MillraceError({ code: 'MR_ENDPOINT_PARAMETER', message });
}
