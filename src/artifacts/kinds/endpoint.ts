import { parseEndpoint, synapseElement, type EndpointDefinition } from '#mediation';
import { defineArtifact } from '../artifact.ts';

/** `<endpoint name="…">`: a named endpoint. */
export const endpoint = defineArtifact<EndpointDefinition | undefined>({
  element: 'endpoint',
  folders: ['endpoints'],
  order: 2,
  nameOf: (node) => node.required('name'),
  parse: (node, context) => parseEndpoint(node, context),
  serialize: (definition) => definition?.serialize() ?? synapseElement('endpoint'),
  compile: (definition, context) => definition?.compile(context),
  // The kind's own element says it, such as `<address statistics="enable">`.
  observedAt: (node) => node.children().find(({ local }) => local !== 'property'),
});
