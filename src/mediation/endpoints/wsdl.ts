import { messageOf, MillraceError, synapseCodes } from '#errors';
import { appendChild, cloneNode, parseXml, type XmlElement } from '#xml';
import { libraryOf, type CompileContext, type Library } from '../context.ts';
import { defineEndpoint, type CompiledEndpoint } from '../endpoint.ts';
import { synapseElement } from '../reading.ts';
import { resolveDeployValue } from '../shared/deploy-value.ts';
import { EndpointFault } from './endpoint-fault.ts';
import { fetchText } from './fetch-text.ts';
import { readFormat, serializeFormat, type FormatSettings } from './format.ts';
import { createLeafEndpoint } from './leaf.ts';
import { leafElements, readLeafSettings, serializeLeafSettings, type LeafSettings } from './leaf-settings.ts';
import { substituteProperties, withRestSuffix } from './url.ts';
import { addressInWsdl, isWsdl, type PortAddress } from './wsdl-address.ts';

interface Definition {
  readonly uri: string | undefined;
  readonly inline: XmlElement | undefined;
  readonly service: string;
  readonly port: string;
  readonly format: FormatSettings;
  readonly settings: LeafSettings;
}

/** `<wsdl uri="…" service="…" port="…">`: address and SOAP version come from a WSDL document (runtime-core 5.1). */
export const wsdl = defineEndpoint<Definition>({
  element: 'wsdl',
  attributes: ['uri', 'service', 'port', 'format', 'encoding', 'optimize'],
  children: ['definitions', 'description', ...leafElements],
  parse(node, _, context) {
    const uri = node.attribute('uri');
    const inline = node.children().find(({ element }) => isWsdl(element));
    if (uri === undefined && !inline) {
      node.error('<wsdl> needs "uri" or a WSDL document inside', { code: 'MR_ARTIFACT_ATTRIBUTE' });
    }
    if (uri !== undefined && !/^https?:|^\$/.test(uri))
      context.refer({ kind: 'resource', key: uri, node, attribute: 'uri' });
    return {
      uri,
      inline: inline && cloneNode(inline.element),
      service: node.required('service'),
      port: node.required('port'),
      format: readFormat(node),
      settings: readLeafSettings(node),
    };
  },
  serialize({ uri, inline, service, port, format, settings }) {
    const element = synapseElement('wsdl', { uri, service, port, ...serializeFormat(format) });
    if (inline) appendChild(element, cloneNode(inline));
    return serializeLeafSettings(element, settings);
  },
  compile(definition, name, context) {
    const { library } = context;
    const uri = definition.uri === undefined ? undefined : resolveDeployValue(definition.uri, library);
    const service = resolveDeployValue(definition.service, library);
    const port = resolveDeployValue(definition.port, library);
    const leafFor = ({ url, version }: PortAddress): CompiledEndpoint => {
      const format = { ...definition.format, format: definition.format.format ?? version };
      return createLeafEndpoint(
        {
          name,
          settings: definition.settings,
          format,
          notReadyCode: synapseCodes.wsdlEndpointNotReady,
          target: (message) => ({
            url: withRestSuffix(substituteProperties(url, message), message, format),
            method: undefined,
          }),
        },
        context,
      );
    };
    const known = definition.inline ?? (uri === undefined || isRemote(uri) ? undefined : readNow(uri, context));
    if (known) return leafFor(addressInWsdl(known, service, port));
    return createLater(name, async () => {
      const root = uri === undefined ? undefined : await readLater(uri, context);
      if (!root) throw new MillraceError({ code: 'MR_WSDL', message: `There is no WSDL document at ${uri ?? ''}` });
      return leafFor(addressInWsdl(root, service, port));
    });
  },
});

function isRemote(uri: string): boolean {
  return /^https?:/i.test(uri);
}

function readNow(uri: string, { library }: CompileContext): XmlElement | undefined {
  return library.xmlResource(uri);
}

async function readLater(uri: string, context: CompileContext): Promise<XmlElement | undefined> {
  if (!isRemote(uri)) return readNow(uri, context);
  return parseXml(await fetchText(uri, context.services), { file: uri }).root;
}

/**
 * An endpoint whose document is read when the first message comes: deployment waits for no other server, and a
 * resource may come later. As long as it cannot be read, messages fail with 303002.
 */
function createLater(name: string, make: () => Promise<CompiledEndpoint>): CompiledEndpoint {
  let leaf: CompiledEndpoint | undefined;
  let pending: Promise<CompiledEndpoint> | undefined;
  let isOff = false;
  const obtain = async (library: Library): Promise<CompiledEndpoint> => {
    try {
      leaf = await make();
      if (isOff) leaf.switchOff(library);
      return leaf;
    } catch (error) {
      throw new EndpointFault({
        code: synapseCodes.wsdlEndpointNotReady,
        message: `Endpoint : ${name} has no address: ${messageOf(error)}`,
        cause: error,
      });
    } finally {
      pending = undefined;
    }
  };
  return {
    name,
    isReady: (library) => leaf?.isReady(library) ?? !isOff,
    retriesLeft: (library) => leaf?.retriesLeft?.(library),
    rest: (milliseconds, library) => leaf?.rest?.(milliseconds, library),
    status: (library) => leaf?.status(library) ?? { name, state: isOff ? 'off' : 'active', members: [] },
    switchOff(library) {
      isOff = true;
      leaf?.switchOff(library);
    },
    switchOn(library) {
      isOff = false;
      leaf?.switchOn(library);
    },
    async send(message, options) {
      const endpoint = leaf ?? (await (pending ??= obtain(libraryOf(message))));
      return endpoint.send(message, options);
    },
  };
}
