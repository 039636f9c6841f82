import { toError } from '#errors';
import type { Message } from '#message';
import { appendChild } from '#xml';
import type { SendOptions } from '../endpoint.ts';
import { CONTINUE, STOP, type Flow } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { synapseElement } from '../reading.ts';
import {
  compileCallExchange,
  readCallSource,
  readCallTarget,
  serializeCallExchange,
  type CallSource,
  type CallTarget,
} from '../shared/call-exchange.ts';
import {
  defaultEndpointReference,
  readEndpointReference,
  type EndpointReference,
} from '../shared/endpoint-reference.ts';

interface Definition {
  readonly blocking: boolean;
  readonly initAxis2ClientOptions: boolean;
  /** JVM configuration paths, kept for writing back. */
  readonly axis2xml: string | undefined;
  readonly repository: string | undefined;
  readonly endpoint: EndpointReference | undefined;
  readonly source: CallSource | undefined;
  readonly target: CallTarget | undefined;
}

/** `<call>`: sends through an endpoint and goes on with the answer as the message (mediators 2.5). */
export const call = defineMediator<Definition>({
  element: 'call',
  attributes: ['blocking', 'initAxis2ClientOptions', 'axis2xml', 'repository'],
  children: ['endpoint', 'source', 'target'],
  needsBody: ({ source, target }) => source !== undefined || target !== undefined,
  parse(node, context) {
    const endpointNode = node.child('endpoint');
    const sourceNode = node.child('source');
    const targetNode = node.child('target');
    return {
      blocking: node.flag('blocking', false),
      initAxis2ClientOptions: node.flag('initAxis2ClientOptions', true),
      axis2xml: node.attribute('axis2xml'),
      repository: node.attribute('repository'),
      endpoint: endpointNode && readEndpointReference(endpointNode, context),
      source: sourceNode && readCallSource(sourceNode),
      target: targetNode && readCallTarget(targetNode),
    };
  },
  serialize({ blocking, initAxis2ClientOptions, axis2xml, repository, endpoint, source, target }) {
    const element = synapseElement('call', {
      blocking: blocking || undefined,
      initAxis2ClientOptions: initAxis2ClientOptions ? undefined : false,
      axis2xml,
      repository,
    });
    if (endpoint) appendChild(element, endpoint.serialize());
    for (const part of serializeCallExchange(source, target)) appendChild(element, part);
    return element;
  },
  compile({ blocking, endpoint, source, target }, context): Compiled {
    const compiled = (endpoint ?? defaultEndpointReference()).compile(context.at('endpoint'));
    const exchange = compileCallExchange(source, target);
    const plain: SendOptions = { blocking };
    return (message) => {
      if (!blocking && String(message.properties.get('OUT_ONLY')) === 'true') {
        message.exchange.sentAsynchronously = true;
        return sendCopy();
      }
      if (!blocking) message.waits();
      if (!exchange) return compiled.send(message, plain);
      const restore = exchange.before(message);
      const deliver = async (answer: Message): Promise<Flow> => {
        await answer.payload.load(context.services.settings.maxBodyBytes);
        restore(answer);
        return CONTINUE;
      };
      return compiled.send(message, { blocking, deliver }).then((flow) => (flow === STOP ? STOP : deliver(message)));

      /**
       * Nobody waits for the answer, so what goes wrong with it is only logged, and the flow goes on when the message
       * goes out. A broker has to have it: what it does not take is a fault.
       */
      async function sendCopy(): Promise<Flow> {
        await message.payload.load(context.services.settings.maxBodyBytes);
        const copy = message.clone();
        let isConfirmed = false;
        return new Promise((resolve, reject) => {
          const begun = (confirms: boolean): void => {
            isConfirmed = confirms;
            if (confirms) message.waits();
            else resolve(CONTINUE);
          };
          compiled.send(copy, { blocking: false, begun }).then(
            (flow) => {
              copy.payload.discard();
              return resolve(isConfirmed ? flow : CONTINUE);
            },
            (error: unknown) => {
              if (isConfirmed) return reject(toError(error));
              context.services.log.warn({ err: error, at: context.id }, 'a one-way call failed');
              return resolve(CONTINUE);
            },
          );
        });
      }
    };
  },
});
