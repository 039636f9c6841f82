/** An object of SCIM: names are compared without case (RFC 7643 §2.1). */
export type ScimObject = Record<string, unknown>;

export function isObject(value: unknown): value is ScimObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The name under which an object has a member; the given one when it has none. */
export function memberName(object: ScimObject, name: string): string {
  const wanted = name.toLowerCase();
  return Object.keys(object).find((each) => each.toLowerCase() === wanted) ?? name;
}

export function member(object: ScimObject, name: string): unknown {
  const own = memberName(object, name);
  return Object.hasOwn(object, own) ? object[own] : undefined;
}

/** The names of a path: a schema's URN stays in one piece, the rest is divided at dots. */
export function pathNames(path: string): readonly string[] {
  const urn = /^(urn:[^[\]]*?:(?:User|Group|schema))(?::(.*))?$/i.exec(path);
  if (!urn) return path.split('.');
  const [, schema = '', rest] = urn;
  const isCore = schema.toLowerCase().startsWith('urn:ietf:params:scim:schemas:core:');
  return [...(isCore ? [] : [schema]), ...(rest === undefined ? [] : rest.split('.'))];
}
