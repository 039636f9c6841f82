import { compileUriTemplate, type UriTemplate } from '#expression';
import type { Message } from '#message';
import type { SourceNode } from '#xml';
import { appendChild } from '#xml';
import { defineEndpoint } from '../endpoint.ts';
import { reporting, synapseElement, textElement } from '../reading.ts';
import { resolveDeployValue } from '../shared/deploy-value.ts';
import { textOfValue } from '../shared/typed-value.ts';
import { readAuthentication, type AuthenticationDefinition } from './authentication.ts';
import { noFormat } from './format.ts';
import { leafElements, readLeafSettings, serializeLeafSettings, type LeafSettings } from './leaf-settings.ts';
import { createLeafEndpoint } from './leaf.ts';
import { substituteProperties } from './url.ts';

const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];

interface Definition {
  readonly uriTemplate: string;
  readonly template: UriTemplate | undefined;
  readonly method: string | undefined;
  readonly version: string | undefined;
  /** Names the sequence for what a back end pushes; nothing is pushed here, since senders do not take it. */
  readonly serverPushSequence: string | undefined;
  readonly authentication: AuthenticationDefinition | undefined;
  readonly settings: LeafSettings;
}

/** `<http uri-template="…" method="…">`: an address made from an RFC 6570 template (runtime-core 5.2). */
export const http = defineEndpoint<Definition>({
  element: 'http',
  attributes: ['uri-template', 'method', 'version'],
  children: ['authentication', 'serverPushSequence', ...leafElements],
  parse(node) {
    const uriTemplate = node.attribute('uri-template') ?? '';
    const version = node.attribute('version');
    if (version !== undefined && version !== '1.1' && version !== '2.0') {
      node.error(`"version" must be 1.1 or 2.0, found "${version}"`, { attribute: 'version' });
    }
    const authentication = node.child('authentication');
    const push = node.child('serverPushSequence');
    push?.warn('back ends are asked to push nothing (RFC 9113, 8.4), so this sequence never runs');
    return {
      uriTemplate,
      template: reporting(node, 'uri-template', () => compileUriTemplate(uriTemplate)),
      method: readMethod(node),
      version,
      serverPushSequence: push?.text(),
      authentication: authentication && readAuthentication(authentication),
      settings: readLeafSettings(node),
    };
  },
  serialize({ uriTemplate, method, version, serverPushSequence, settings, authentication }) {
    const element = synapseElement('http', { method: method?.toLowerCase(), 'uri-template': uriTemplate, version });
    serializeLeafSettings(element, settings);
    if (authentication) appendChild(element, authentication.serialize());
    if (serverPushSequence !== undefined) appendChild(element, textElement('serverPushSequence', serverPushSequence));
    return element;
  },
  compile({ uriTemplate, template, method, version, settings, authentication }, name, context) {
    const text = resolveDeployValue(uriTemplate, context.library);
    const expand = compileExpansion(text, text === uriTemplate ? template : compileUriTemplate(text));
    return createLeafEndpoint(
      {
        name,
        settings,
        format: noFormat,
        authentication: authentication?.compile(context),
        prefersHttp2: version === '2.0',
        target: (message) => ({ url: expand(message), method }),
      },
      context,
    );
  },
});

/** An unknown method is ignored, as in the original. */
function readMethod(node: SourceNode): string | undefined {
  const method = node.attribute('method')?.toLowerCase();
  if (method === undefined) return undefined;
  if (methods.includes(method)) return method.toUpperCase();
  node.warn(`"method" must be one of ${methods.join(', ')}; "${method}" is ignored`, { attribute: 'method' });
  return undefined;
}

function compileExpansion(text: string, template: UriTemplate | undefined): (message: Message) => string {
  if (!template || template.variables.length === 0) {
    return text.includes('${') ? (message) => substituteProperties(text, message) : () => text;
  }
  return (message) => {
    const lookup = (variable: string): string | undefined => {
      const value = message.properties.get(variable);
      return value === undefined ? undefined : textOfValue(value);
    };
    // Without any uri.var or query.param the original takes the raw text as the address (runtime-core 5.2).
    const url = hasTemplateProperties(message) ? template.expand(lookup) : text;
    return substituteProperties(url, message);
  };
}

function hasTemplateProperties(message: Message): boolean {
  for (const name of message.properties.keys()) {
    if (name.startsWith('uri.var.') || name.startsWith('query.param.')) return true;
  }
  return false;
}
