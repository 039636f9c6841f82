import { defineArtifact, type Artifact, type Conflict } from '#artifacts';
import { synapseElement, type CompileContext, type ParseContext } from '#mediation';
import { appendChild, type SourceNode } from '#xml';
import {
  compileHandlers,
  readHandlers,
  serializeHandlers,
  type ApiHandlers,
  type HandlerDefinition,
} from './handlers.ts';
import {
  compileResource,
  parseResource,
  serializeResource,
  type CompiledResource,
  type ResourceDefinition,
} from './resource.ts';
import { defaultBinding, readBinding } from './binding.ts';
import { createSchemaValidation, type SchemaValidation } from './schema-validation.ts';

export interface ApiDefinition {
  readonly name: string;
  /** As written, without trailing slashes; `/` becomes the empty text, which matches everything. */
  readonly context: string;
  readonly hostname: string | undefined;
  readonly port: number | undefined;
  readonly version: string | undefined;
  readonly versionType: 'context' | 'url' | undefined;
  readonly versionParam: string | undefined;
  readonly publishSwagger: string | undefined;
  /** True when messages are compared with the definition that `publishSwagger` names. */
  readonly validateSchema: boolean;
  readonly transports: 'http' | 'https' | undefined;
  readonly bindsTo: readonly string[];
  readonly statistics: boolean;
  readonly trace: boolean;
  readonly resources: readonly ResourceDefinition[];
  /** What sees each request before its resource, and each response before the out sequence. */
  readonly handlers: readonly HandlerDefinition[];
}

/** An API ready to be dispatched to. */
export interface CompiledApi {
  readonly definition: ApiDefinition;
  /** `name`, or `name:v<version>`: the value of `SYNAPSE_REST_API`. */
  readonly key: string;
  /** The context with `{version}` filled in. */
  readonly context: string;
  readonly resources: readonly CompiledResource[];
  /** Checks against the definition; undefined when none are wanted. */
  readonly validation: SchemaValidation | undefined;
  /** The handlers; undefined when there are none. */
  readonly handlers: ApiHandlers | undefined;
}

const versionTypes = ['context', 'url'] as const;
const transports = ['http', 'https'] as const;

const attributes = [
  'name',
  'context',
  'hostname',
  'port',
  'version',
  'version-type',
  'version-param',
  'publishSwagger',
  'validateSchema',
  'transports',
  'binds-to',
  'statistics',
  'trace',
  'description',
];

/** `<api>`: a REST API at a context, with resources (runtime-core 2.1). */
export const api = defineArtifact<ApiDefinition>({
  element: 'api',
  folders: ['api', 'apis'],
  order: 9,
  nameOf(node) {
    const name = node.required('name');
    const version = node.attribute('version');
    return version === undefined ? name : `${name}:v${version}`;
  },
  parse(node, context) {
    node.knowOnly(attributes);
    node.knowOnlyChildren(['resource', 'handlers']);
    const validateSchema = node.flag('validateSchema', false);
    if (validateSchema && node.attribute('publishSwagger') === undefined) {
      node.warn('"validateSchema" needs "publishSwagger"; nothing is validated', { attribute: 'validateSchema' });
    }
    const resources = node.childrenNamed('resource').map((child) => parseResource(child, context));
    if (resources.length === 0) node.error('<api> needs at least one <resource>', { code: 'MR_ARTIFACT_CHILD' });
    reportDuplicates(node, resources);
    const versionType = node.attribute('version-type');
    const version = node.attribute('version');
    if (version !== undefined && versionType === undefined) {
      node.error('an API with a "version" needs a "version-type" of context or url', { attribute: 'version' });
    }
    return {
      name: node.attribute('name') ?? '',
      context: readContext(node),
      hostname: node.attribute('hostname'),
      port: node.integer('port', -1),
      version,
      versionType: versionType === undefined ? undefined : node.choice('version-type', versionTypes, 'context'),
      versionParam: node.attribute('version-param'),
      publishSwagger: readPublishSwagger(node, context),
      validateSchema,
      transports:
        node.attribute('transports') === undefined ? undefined : node.choice('transports', transports, 'http'),
      bindsTo: readBinding(node, context) ?? [defaultBinding],
      statistics: node.attribute('statistics') === 'enable',
      trace: node.attribute('trace') === 'enable',
      resources,
      handlers: readHandlers(node),
    };
  },
  serialize(definition) {
    const { context, port, bindsTo, statistics, trace, resources, handlers } = definition;
    const element = synapseElement('api', {
      name: definition.name,
      context: context === '' ? '/' : context,
      hostname: definition.hostname,
      port,
      version: definition.version,
      'version-type': definition.versionType,
      'version-param': definition.versionParam,
      publishSwagger: definition.publishSwagger,
      validateSchema: definition.validateSchema || undefined,
      transports: definition.transports,
      'binds-to': bindsTo.join(',') === defaultBinding ? undefined : bindsTo.join(','),
      statistics: statistics ? 'enable' : undefined,
      trace: trace ? 'enable' : undefined,
    });
    for (const resource of resources) appendChild(element, serializeResource(resource));
    if (handlers.length > 0) appendChild(element, serializeHandlers(handlers));
    return element;
  },
  compile: compileApi,
  conflicts: findConflicts,
});

function compileApi(definition: ApiDefinition, context: CompileContext): CompiledApi {
  const { name, version, versionType, publishSwagger } = definition;
  const isValidated = definition.validateSchema && publishSwagger !== undefined;
  const validation = isValidated ? createSchemaValidation(publishSwagger, context) : undefined;
  return {
    definition,
    key: version === undefined ? name : `${name}:v${version}`,
    context: versionType === 'context' ? definition.context.replace('{version}', version ?? '') : definition.context,
    resources: definition.resources.map((resource, index) =>
      compileResource(resource, context.at(`resource:${index}`), validation),
    ),
    validation,
    handlers: compileHandlers(definition.handlers, context),
  };
}

function readContext(node: SourceNode): string {
  const context = node.required('context');
  if (context !== '' && !context.startsWith('/')) {
    node.error(`"context" must start with "/", found "${context}"`, { attribute: 'context' });
  }
  return context.replace(/\/+$/, '');
}

function readPublishSwagger(node: SourceNode, context: ParseContext): string | undefined {
  const key = node.attribute('publishSwagger');
  if (key !== undefined) context.refer({ kind: 'resource', key, node, attribute: 'publishSwagger' });
  return key;
}

/** Two resources of equal pattern whose methods overlap cannot both be served. */
function reportDuplicates(node: SourceNode, resources: readonly ResourceDefinition[]): void {
  const nodes = node.childrenNamed('resource');
  for (const [index, resource] of resources.entries()) {
    const earlier = resources
      .slice(0, index)
      .find((other) => patternOf(other) === patternOf(resource) && overlap(other, resource));
    if (earlier) {
      const what = patternOf(resource) === '' ? 'be the default resource' : 'have the same path mapping and methods';
      nodes[index]?.error(`Two resources cannot ${what}`, { code: 'MR_API_DUPLICATE_RESOURCE' });
    }
  }
}

function patternOf({ mapping, template }: ResourceDefinition): string {
  return mapping?.text ?? template?.text ?? '';
}

function overlap(left: ResourceDefinition, right: ResourceDefinition): boolean {
  if (patternOf(left) === '') return true;
  const { methods } = left;
  return !methods || !right.methods || right.methods.some((method) => methods.includes(method));
}

/** Equal context and version in two APIs: the later one is refused. */
function findConflicts(apis: readonly { definition: ApiDefinition; artifact: Artifact }[]): Conflict[] {
  const seen = new Map<string, Artifact>();
  return apis.flatMap(({ definition, artifact }) => {
    const key = `${definition.context} ${definition.version ?? ''}`;
    const earlier = seen.get(key);
    if (!earlier) seen.set(key, artifact);
    const where = earlier?.position.file ?? '';
    return earlier
      ? [
          {
            artifact,
            message: `URL context: ${definition.context || '/'} is already registered by ${earlier.key} (${where})`,
          },
        ]
      : [];
  });
}
