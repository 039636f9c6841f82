import type { World } from '#artifacts';
import { formatPosition } from '#errors';
import { defineOperation, type Operation } from '#rest';

/** Read-only lists of what is deployed. */
export function artifactOperations(world: () => World): readonly Operation[] {
  return [
    defineOperation({
      id: 'listArtifacts',
      method: 'GET',
      path: '/artifacts',
      summary: 'Everything that is deployed',
      responses: { 200: { description: 'Kind, name and place of each artifact' } },
      scope: 'artifacts:read',
      handle({ query }) {
        const kind = query['kind'];
        const { artifacts, number } = world();
        const list = [...artifacts.values()]
          .filter(({ artifact }) => kind === undefined || artifact.kind === kind)
          .map(({ artifact }) => ({
            key: artifact.key,
            kind: artifact.kind,
            name: artifact.name,
            at: formatPosition(artifact.position),
          }));
        return { world: number, count: list.length, list };
      },
    }),
  ];
}
