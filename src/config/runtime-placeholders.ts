/** Values of `${name}` placeholders, known once the ports are: see `runtimeNames` for the names of the original. */
export type RuntimeValues = Readonly<Record<string, string | number>>;

/** Names that may stand in `${…}`. */
export const runtimeNames: readonly string[] = [
  'carbon.home',
  'carbon.protocol',
  'carbon.host',
  'carbon.local.ip',
  'carbon.management.port',
  'carbon.context',
  'mgt.transport.https.port',
  'mgt.transport.http.port',
  'https.nio.port',
  'http.nio.port',
  'jms.port',
  'receiver.url.port',
  'auth.url.port',
  'admin.username',
  'admin.password',
];

/** Replaces the `${name}` placeholders of `text`; unknown names stay as they are. */
export function resolveRuntime(text: string, runtime: RuntimeValues): string {
  return text.replace(/\$\{([^}]*)\}/g, (placeholder, name: string) => {
    const value = Object.hasOwn(runtime, name) ? runtime[name] : undefined;
    return value === undefined ? placeholder : String(value);
  });
}

/** The names in the `${…}` placeholders of `text`. */
export function runtimeNamesIn(text: string): readonly string[] {
  return [...text.matchAll(/\$\{([^}]*)\}/g)].map((match) => match[1] ?? '');
}
