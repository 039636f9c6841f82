import { appendChild } from '#xml';
import { STOP } from '../flow.ts';
import { forwarding } from '../forward.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { declareNamespaces, readValue, synapseElement, type ValueSource } from '../reading.ts';
import {
  defaultEndpointReference,
  readEndpointReference,
  type EndpointReference,
} from '../shared/endpoint-reference.ts';
import { sequenceReference } from '../shared/branch.ts';

interface Definition {
  readonly receive: ValueSource | undefined;
  readonly buildMessage: boolean;
  readonly endpoint: EndpointReference | undefined;
}

/** `<send>`: sends through an endpoint, the answer taking the out path; without one answers the client (mediators 2.4). */
export const send = defineMediator<Definition>({
  element: 'send',
  attributes: ['receive', 'buildmessage'],
  children: ['endpoint'],
  needsBody: ({ buildMessage, receive }) => buildMessage || receive?.value.contentAware === true,
  parse(node, context) {
    const endpointNode = node.child('endpoint');
    const receive = readValue(node, 'receive');
    if (receive?.value.literal !== undefined) {
      context.refer({ kind: 'sequence', key: receive.value.literal, node, attribute: 'receive' });
    }
    return {
      receive,
      buildMessage: node.flag('buildmessage', false),
      endpoint: endpointNode && readEndpointReference(endpointNode, context),
    };
  },
  serialize({ receive, buildMessage, endpoint }) {
    const element = synapseElement('send', { receive: receive?.text, buildmessage: buildMessage || undefined });
    if (endpoint) appendChild(element, endpoint.serialize());
    return declareNamespaces(element, [receive]);
  },
  compile({ receive, endpoint }, context): Compiled {
    const target = (endpoint ?? defaultEndpointReference()).compile(context.at('endpoint'));
    const literalReceiver = receive?.value.literal;
    const receiver = literalReceiver === undefined ? undefined : sequenceReference(literalReceiver, context);
    const forward = forwarding(
      target,
      (message) => receiver ?? (receive && sequenceReference(receive.value.evaluate(message) ?? '', context)),
    );
    return (message) => {
      if (endpoint || !message.response) return forward(message);
      const pending = message.exchange.answer(message);
      return pending ? pending.then(() => STOP) : STOP;
    };
  },
});
