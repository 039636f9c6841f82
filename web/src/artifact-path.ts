/** The address of an artifact's page. */
export function artifactPath({ group, kind, name }: { group: string; kind: string; name: string }): string {
  return `/artifacts/${encodeURIComponent(group)}/${kind}/${encodeURIComponent(name)}`;
}
