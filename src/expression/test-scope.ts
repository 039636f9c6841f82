import { jsonToXml, parseJson, readJsonAt, valueAt, xmlToJson, type JsonKeys, type JsonValue } from '#json';
import { bodyOf, createEnvelope, firstElement, type XmlElement } from '#xml';
import type { Scope } from './scope.ts';

/** What a test says about a message; properties are named `scope:name`. */
export interface TestMessage {
  readonly envelope?: XmlElement;
  readonly json?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly templateParameters?: Readonly<Record<string, unknown>>;
  readonly configurations?: Readonly<Record<string, string>>;
  readonly resources?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly to?: string;
  readonly warnings?: string[];
}

/** 2024-02-29 12:30:45.678 UTC. */
const now = Date.UTC(2024, 1, 29, 12, 30, 45, 678);

/** A scope for tests of expressions; its clock stands still. */
export function createTestScope(message: TestMessage): Scope {
  const view = message.json === undefined ? undefined : jsonToXml(message.json);
  const envelope = message.envelope ?? createEnvelope('soap12', view ? [view] : []);
  const headers = message.headers ?? {};
  return {
    envelope: () => envelope,
    hasJson: () => message.json !== undefined,
    json: () => jsonOf(message, envelope),
    jsonAt: (keys) => jsonAt(message, envelope, keys),
    jsonText: () => message.json,
    property: (scope, name) => (scope === 'transport' ? headers[name.toLowerCase()] : scopeValue(message, scope, name)),
    header: (name) => headers[name.toLowerCase()],
    variable: (name) => message.variables?.[name],
    hasVariable: (name) => Object.hasOwn(message.variables ?? {}, name),
    templateParameter: (name) => message.templateParameters?.[name],
    configuration: (name) => message.configurations?.[name],
    resource: (key) => message.resources?.[key],
    resourceProperty: (key, property) => message.resources?.[`${key}@${property}`],
    secret: (alias) => message.secrets?.[alias],
    vaultSecret: ({ namespace = '', path, field }) => message.secrets?.[`${namespace}:${path}:${field}`] ?? '',
    to: () => message.to ?? '',
    now: () => now,
    warn: (text, detail) => void message.warnings?.push(`${text}: ${detail}`),
  };
}

function scopeValue(message: TestMessage, scope: string, name: string): unknown {
  return scope === 'func' ? message.templateParameters?.[name] : message.properties?.[`${scope}:${name}`];
}

function jsonOf(message: TestMessage, envelope: XmlElement): JsonValue | undefined {
  if (message.json !== undefined) return parseJson(message.json);
  const content = firstElement(bodyOf(envelope));
  return content && xmlToJson(content);
}

function jsonAt(message: TestMessage, envelope: XmlElement, keys: JsonKeys): JsonValue | undefined {
  if (message.json !== undefined) return readJsonAt(message.json, keys);
  const value = jsonOf(message, envelope);
  return value === undefined ? undefined : valueAt(value, keys);
}
