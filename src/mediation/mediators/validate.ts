import type { Message } from '#message';
import { appendChild, type SourceNode } from '#xml';
import type { ParseContext, StepOrComment } from '../context.ts';
import { CONTINUE } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import {
  declareNamespaces,
  readExpression,
  readValue,
  synapseElement,
  type ExpressionSource,
  type ValueSource,
} from '../reading.ts';
import { compileSteps, serializeSteps } from '../sequence.ts';
import { readResources, serializeResources, type ResourceMapping } from '../shared/resource-mapping.ts';
import { compileSchemaCheck, describeViolation, type Violation } from '../shared/schema-check.ts';

interface Feature {
  readonly name: string;
  readonly value: boolean;
}

interface Definition {
  readonly schemas: readonly ValueSource[];
  readonly source: ExpressionSource | undefined;
  readonly cacheSchema: boolean;
  readonly jsonSource: boolean;
  readonly resources: readonly ResourceMapping[];
  readonly features: readonly Feature[];
  readonly onFail: readonly StepOrComment[];
}

/** `<validate>`: a message against XML Schemas or a JSON Schema (mediators 6.4). */
export const validate = defineMediator<Definition>({
  element: 'validate',
  attributes: ['source', 'cache-schema', 'json-source'],
  needsBody: () => true,
  parse(node, context) {
    const schemas = node.childrenNamed('schema').flatMap((child) => readSchemaKey(child, context) ?? []);
    if (node.child('schema') === undefined) {
      node.error('<validate> needs at least one <schema>', { code: 'MR_ARTIFACT_CHILD' });
    }
    return {
      schemas,
      source: readExpression(node, 'source'),
      cacheSchema: node.flag('cache-schema', true),
      jsonSource: node.flag('json-source', false),
      resources: readResources(node, context),
      features: node.childrenNamed('feature').map((child) => readFeature(child)),
      onFail: readOnFail(node, context),
    };
  },
  serialize({ schemas, source, cacheSchema, jsonSource, resources, features, onFail }) {
    const element = synapseElement('validate', {
      source: source?.text,
      'cache-schema': cacheSchema ? undefined : false,
      'json-source': jsonSource ? true : undefined,
    });
    declareNamespaces(element, [source]);
    for (const schema of schemas) {
      appendChild(element, declareNamespaces(synapseElement('schema', { key: schema.text }), [schema]));
    }
    serializeResources(element, resources);
    for (const { name, value } of features) appendChild(element, synapseElement('feature', { name, value }));
    appendChild(element, serializeSteps(synapseElement('on-fail'), onFail));
    return element;
  },
  compile(definition, context): Compiled {
    const onFail = compileSteps(definition.onFail, context.at('on-fail'));
    const check = compileSchemaCheck(definition, context);
    const conclude = (message: Message, violation: Violation | undefined): ReturnType<Compiled> => {
      if (!violation) return CONTINUE;
      describeViolation(message, violation);
      context.services.log.debug({ at: context.id, violation: violation.message }, 'a message is not valid');
      return onFail(message);
    };
    return (message) => {
      const violation = check(message);
      return violation instanceof Promise
        ? violation.then((found) => conclude(message, found))
        : conclude(message, violation);
    };
  },
});

function readSchemaKey(node: SourceNode, context: ParseContext): ValueSource | undefined {
  node.knowOnly(['key']);
  node.required('key');
  const key = readValue(node, 'key');
  if (key?.value.literal !== undefined) {
    context.refer({ kind: 'resource', key: key.value.literal, node, attribute: 'key' });
  }
  return key;
}

function readFeature(node: SourceNode): Feature {
  node.knowOnly(['name', 'value']);
  node.required('value');
  return { name: node.required('name'), value: node.strictFlag('value', false) };
}

function readOnFail(node: SourceNode, context: ParseContext): readonly StepOrComment[] {
  const child = node.child('on-fail');
  const steps = child ? context.steps(child) : [];
  if (!steps.some((step) => !('comment' in step))) {
    node.error('<validate> needs an <on-fail> with at least one mediator', { code: 'MR_ARTIFACT_CHILD' });
  }
  return steps;
}
