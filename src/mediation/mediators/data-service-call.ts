import { synapseCodes } from '#errors';
import { cloneNode, type XmlElement } from '#xml';
import { Fault } from '../fault.ts';
import { defineMediator } from '../mediator.ts';

interface Definition {
  readonly service: string;
  readonly element: XmlElement;
}

/**
 * `<dataServiceCall>`: fails the message, since there are no data services to be called (mediators 7.3). Like a name that
 * nothing answers to it is a warning at deployment.
 */
export const dataServiceCall = defineMediator<Definition>({
  element: 'dataServiceCall',
  attributes: ['serviceName'],
  children: ['source', 'operations', 'target'],
  needsBody: () => false,
  parse(node) {
    const service = node.required('serviceName');
    node.warn(`the data service "${service}" cannot be called: data services are not served yet`, {
      code: 'MR_DATA_SERVICE_UNSUPPORTED',
    });
    return { service, element: cloneNode(node.element) };
  },
  serialize: ({ element }) => cloneNode(element),
  compile:
    ({ service }) =>
    () => {
      throw new Fault({ code: synapseCodes.mediation, message: `There is no data service ${service}` });
    },
});
