import { defineSection, key } from './define.ts';
import { bag, boolean, className, list, text } from './types.ts';

export const topLevel = defineSection({
  path: '',
  doc: 'Keys before the first header.',
  keys: {
    enabledGlobalHandlers: key('enabled_global_handlers', list(), {
      doc: 'Names of handlers to engage.',
      effect: 'handler names run in this order around every API, proxy and endpoint call.',
    }),
  },
});

export const synapseHandler = defineSection({
  path: 'synapse_handlers.<handler>',
  doc: 'Handlers around every message.',
  keys: {
    name: key('name', text(), { required: true, doc: 'Handler name.', effect: 'identifier in logs.' }),
    class: key('class', className(), {
      required: true,
      doc: 'Handler class.',
      mapped:
        'module specifier of an extension with the four flow callbacks (requestIn, requestOut, responseIn, responseOut).',
    }),
    enabled: key('enabled', boolean(), {
      additional: true,
      doc: 'Switch of the handler.',
      effect: 'false leaves the handler out.',
    }),
  },
});

export const synapseHandlerParameter = defineSection({
  path: 'synapse_handlers.<handler>.parameters',
  repeated: true,
  doc: 'Parameters of such a handler.',
  keys: {
    name: key('name', text(), { additional: true, doc: 'Name of a parameter.', effect: 'passed to the handler.' }),
    value: key('value', text(), { additional: true, doc: 'Value of a parameter.', effect: 'passed to the handler.' }),
  },
});

export const synapseProperties = defineSection({
  path: 'synapse_properties',
  doc: 'Properties of the mediation engine, by their own names.',
  keys: {
    values: key('<property>', bag(), {
      additional: true,
      doc: 'Properties by their own names.',
      effect: 'known names set the keys of [mediation]; others are kept for extensions.',
    }),
  },
});
