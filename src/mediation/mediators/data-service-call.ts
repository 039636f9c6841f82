import { cloneNode, type XmlElement } from '#xml';
import { defineMediator } from '../mediator.ts';

/** `<dataServiceCall>`: refused at deployment, since there are no data services to be called (mediators 7.3). */
export const dataServiceCall = defineMediator<{ readonly element: XmlElement }>({
  element: 'dataServiceCall',
  attributes: ['serviceName'],
  children: ['source', 'operations', 'target'],
  needsBody: () => false,
  parse(node) {
    const name = node.required('serviceName');
    node.error(`the data service "${name}" cannot be called: data services are not served yet`, {
      code: 'MR_DATA_SERVICE_UNSUPPORTED',
    });
    return { element: cloneNode(node.element) };
  },
  serialize: ({ element }) => cloneNode(element),
  compile() {
    throw new Error('a mediator that is refused when it is read is not compiled');
  },
});
