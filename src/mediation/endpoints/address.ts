import { isBrokerUrl } from '../brokers/broker-address.ts';
import { defineEndpoint } from '../endpoint.ts';
import { synapseElement } from '../reading.ts';
import { resolveDeployValue } from '../shared/deploy-value.ts';
import { readFormat, serializeFormat, type FormatSettings } from './format.ts';
import { leafElements, readLeafSettings, serializeLeafSettings, type LeafSettings } from './leaf-settings.ts';
import { createLeafEndpoint } from './leaf.ts';
import { substituteProperties, withRestSuffix } from './url.ts';

interface Definition {
  readonly uri: string;
  readonly format: FormatSettings;
  readonly settings: LeafSettings;
}

/** `<address uri="…">`: a fixed address; REST messages bring their path suffix along (runtime-core 5.1). */
export const address = defineEndpoint<Definition>({
  element: 'address',
  attributes: ['uri', 'format', 'encoding', 'optimize'],
  children: leafElements,
  parse: (node) => ({ uri: node.required('uri'), format: readFormat(node), settings: readLeafSettings(node) }),
  serialize: ({ uri, format, settings }) =>
    serializeLeafSettings(synapseElement('address', { uri, ...serializeFormat(format) }), settings),
  compile({ uri, format, settings }, name, context) {
    const url = resolveDeployValue(uri, context.library);
    return createLeafEndpoint(
      {
        name,
        settings,
        format,
        isBroker: isBrokerUrl(url),
        target: (message) => ({
          url: withRestSuffix(substituteProperties(url, message), message, format),
          method: undefined,
        }),
      },
      context,
    );
  },
});
