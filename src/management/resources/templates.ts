import { childElements, getAttribute, type XmlElement } from '#xml';
import { defineOperation, type Operation } from '#rest';
import { childOf, factsOf, type ArtifactFacts } from '../artifact-facts.ts';
import { artifactOperations, type ArtifactResource } from '../artifact-resource.ts';
import { bareRefusal, listOf, queryText, refusal, searched } from '../conventions.ts';
import { artifactsOf, findArtifact, type ManagedRuntime } from '../runtime.ts';

/** What changes on templates: only those of sequences can be traced and counted. */
const resource: ArtifactResource = {
  path: '/templates',
  kind: 'template',
  title: 'sequence template',
  parameter: 'name',
  missing: 'bare',
  observedAs: 'sequence_template',
  item: (facts) => detailOf(facts),
  detail: (facts) => detailOf(facts),
};

/** `/templates` (management 1.6): all details of all, names of one `type`, or one by `type` and `name`. */
export function templateOperations(runtime: ManagedRuntime): readonly Operation[] {
  const change = artifactOperations(resource, runtime).filter(({ method }) => method === 'POST');
  const read = defineOperation({
    id: 'getTemplates',
    method: 'GET',
    path: '/templates',
    summary: 'Templates of sequences and endpoints',
    responses: { 200: { description: 'The list under count and list, or the details of one' } },
    scope: 'read',
    handle({ query }) {
      const type = queryText(query, 'type')?.toLowerCase();
      const name = queryText(query, 'name');
      if (type !== undefined && type !== 'endpoint' && type !== 'sequence') {
        throw refusal(400, `"type" must be endpoint or sequence; found "${type}"`);
      }
      if (type !== undefined && name !== undefined) {
        const deployed = findArtifact(runtime, 'template', name);
        const facts = deployed && factsOf(runtime, deployed);
        if (!facts || typeOf(facts.xml) !== type) throw bareRefusal(404, `There is no ${type} template "${name}"`);
        return detailOf(facts);
      }
      const all = searched(artifactsOf(runtime, 'template'), query).map((each) => factsOf(runtime, each));
      if (type === undefined) return listOf(all.map(detailOf));
      return listOf(all.filter(({ xml }) => typeOf(xml) === type).map((facts) => ({ name: facts.name })));
    },
  });
  return [read, ...change];
}

function detailOf({ name, xml, configuration }: ArtifactFacts): Record<string, unknown> {
  return {
    name,
    Parameters: childElements(xml)
      .filter(({ local }) => local === 'parameter')
      .map((parameter) => getAttribute(parameter, 'name') ?? ''),
    type: typeOf(xml),
    configuration,
  };
}

function typeOf(xml: XmlElement): string {
  return childOf(xml, 'endpoint') ? 'endpoint' : 'sequence';
}
