import { childElements } from '#xml';
import type { ArtifactResource } from '../artifact-resource.ts';

/** `/sequences` (management 1.6). */
export const sequences: ArtifactResource = {
  path: '/sequences',
  kind: 'sequence',
  title: 'sequence',
  parameter: 'sequenceName',
  missing: 'bare',
  observedAs: 'sequence',
  item: ({ name, application, stats, tracing }) => ({ name, container: application ?? '', stats, tracing }),
  detail: ({ name, application, stats, tracing, xml, configuration }) => ({
    name,
    container: application ?? '',
    stats,
    tracing,
    mediators: childElements(xml)
      .filter(({ local }) => local !== 'description')
      .map(({ local }) => local),
    configuration,
  }),
};
