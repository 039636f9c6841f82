import { synapseElement } from '#mediation';
import { getAttribute } from '#xml';
import { defineArtifact, type Artifact } from '../artifact.ts';

/** Which connector an artifact turns on. */
export interface ConnectorImport {
  readonly name: string;
  readonly package: string;
  readonly isEnabled: boolean;
}

/** `<import name="…" package="…" status="enabled"/>`: turns a connector on (mediators 15). */
export const importArtifact = defineArtifact<ConnectorImport>({
  element: 'import',
  folders: ['imports'],
  order: 0,
  nameOf: (node) => `{${node.required('package')}}${node.required('name')}`,
  parse(node) {
    node.knowOnly(['name', 'package', 'status']);
    return {
      name: node.attribute('name') ?? '',
      package: node.attribute('package') ?? '',
      isEnabled: node.choice('status', ['enabled', 'disabled'], 'disabled') === 'enabled',
    };
  },
  serialize: ({ name, package: group, isEnabled }) =>
    synapseElement('import', { name, package: group, status: isEnabled ? 'enabled' : 'disabled' }),
  compile: (definition) => definition,
});

/** True for an artifact that is such an import and turned on. */
export function isEnabledImport(artifact: Artifact): boolean {
  return artifact.kind === importArtifact.element && getAttribute(artifact.serialize(), 'status') === 'enabled';
}
