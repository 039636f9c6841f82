import { defineEndpoint } from '../endpoint.ts';
import { synapseElement } from '../reading.ts';
import { resolveDeployValue } from '../shared/deploy-value.ts';
import { readDeliveryPolicy, serializeDeliveryPolicy, type DeliveryPolicy } from './delivery-policy.ts';
import { readFormat, serializeFormat, type FormatSettings } from './format.ts';
import { createLeafEndpoint } from './leaf.ts';
import { substituteProperties, withRestSuffix } from './url.ts';

interface Definition {
  readonly uri: string;
  readonly format: FormatSettings;
  readonly policy: DeliveryPolicy;
}

/** `<address uri="…">`: a fixed address; REST messages bring their path suffix along (runtime-core 5.1). */
export const address = defineEndpoint<Definition>({
  element: 'address',
  attributes: ['uri', 'format', 'encoding', 'optimize'],
  children: [],
  parse: (node) => ({ uri: node.required('uri'), format: readFormat(node), policy: readDeliveryPolicy(node) }),
  serialize: ({ uri, format, policy }) =>
    serializeDeliveryPolicy(synapseElement('address', { uri, ...serializeFormat(format) }), policy),
  compile({ uri, format, policy }, name, context) {
    const url = resolveDeployValue(uri, context.library);
    return createLeafEndpoint(
      {
        name,
        policy,
        format,
        target: (message) => ({
          url: withRestSuffix(substituteProperties(url, message), message, format),
          method: undefined,
        }),
      },
      context,
    );
  },
});
