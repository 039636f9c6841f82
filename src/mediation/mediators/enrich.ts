import { synapseCodes } from '#errors';
import { parseJson, stringifyJson, type JsonValue } from '#json';
import { appendChild } from '#xml';
import { Fault } from '../fault.ts';
import { CONTINUE } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import {
  compileEnrichSource,
  readEnrichSource,
  serializeEnrichSource,
  type EnrichSource,
} from '../shared/enrich-source.ts';
import {
  compileEnrichTarget,
  readEnrichTarget,
  serializeEnrichTarget,
  type EnrichTarget,
} from '../shared/enrich-target.ts';
import { synapseElement } from '../reading.ts';
import type { SourceNode } from '#xml';

interface Definition {
  readonly source: EnrichSource | undefined;
  readonly target: EnrichTarget | undefined;
}

/** Combinations of source and target that the original refuses (mediators 4.2). */
const refusedTargets: Readonly<Partial<Record<EnrichSource['type'], readonly EnrichTarget['type'][]>>> = {
  envelope: ['custom', 'envelope', 'body'],
  body: ['envelope', 'body', 'key'],
  custom: ['envelope'],
};

/** `<enrich>`: copies or moves a part of the message into another (mediators 4.2). */
export const enrich = defineMediator<Definition>({
  element: 'enrich',
  attributes: [],
  children: ['source', 'target'],
  needsBody: () => true,
  parse(node) {
    const sourceNode = node.child('source');
    const targetNode = node.child('target');
    if (!sourceNode) node.error('<enrich> needs a <source>', { code: 'MR_ARTIFACT_CHILD' });
    if (!targetNode) node.error('<enrich> needs a <target>', { code: 'MR_ARTIFACT_CHILD' });
    const definition = {
      source: sourceNode && readEnrichSource(sourceNode),
      target: targetNode && readEnrichTarget(targetNode),
    };
    if (targetNode) checkCombination(targetNode, definition);
    return definition;
  },
  serialize({ source, target }) {
    const element = synapseElement('enrich');
    if (source) appendChild(element, serializeEnrichSource(source));
    if (target) appendChild(element, serializeEnrichTarget(target));
    return element;
  },
  compile({ source, target }, context): Compiled {
    if (!source || !target) return () => CONTINUE;
    if (target.action === 'remove') return compileRemoval(source, target);
    const read = compileEnrichSource(source);
    const write = compileEnrichTarget(target, context, source.expression?.expression.language);
    return (message) => {
      const value = read(message);
      if (value.kind === 'none') {
        context.services.log.error({ at: context.id }, 'Specified node by xpath cannot be found.');
        return CONTINUE;
      }
      write(message, value);
      return CONTINUE;
    };
  },
});

/** `remove` takes away what the JSONPaths of the source name, from the payload or from a property. */
function compileRemoval(source: EnrichSource, target: EnrichTarget): Compiled {
  const { paths } = source;
  return (message) => {
    const { property } = target;
    const root =
      target.type === 'property' ? jsonOfProperty(message.property('default', property ?? '')) : message.json();
    if (root === undefined) return CONTINUE;
    for (const path of paths) {
      if (path.isRoot) {
        message.payload.clear();
        return CONTINUE;
      }
      if (path.remove(root) === 0) {
        throw new Fault({ code: synapseCodes.mediation, message: `There is nothing to remove at ${path.text}` });
      }
    }
    if (target.type === 'property') message.properties.set(property ?? '', stringifyJson(root));
    else message.payload.setJsonValue(root);
    return CONTINUE;
  };
}

function jsonOfProperty(value: unknown): JsonValue | undefined {
  return typeof value === 'string' ? parseJson(value) : undefined;
}

function checkCombination(node: SourceNode, { source, target }: Definition): void {
  if (!source || !target) return;
  if (refusedTargets[source.type]?.includes(target.type)) {
    node.error(`a source of type "${source.type}" cannot go to a target of type "${target.type}"`, {
      attribute: 'type',
    });
  }
  if (source.paths.length > 1 && target.action !== 'remove') {
    node.error('several JSONPaths can only be removed', { attribute: 'action' });
  }
  if (target.action === 'remove') {
    if (source.type !== 'custom') node.error('"remove" needs a source of type custom', { attribute: 'action' });
    if (target.type !== 'body' && target.type !== 'property') {
      node.error('"remove" works on the targets body and property', { attribute: 'action' });
    }
  }
  if ((target.type === 'envelope' || target.type === 'key') && target.action !== 'replace') {
    node.error(`a target of type "${target.type}" can only be replaced`, { attribute: 'action' });
  }
  if (target.type === 'key' && target.expression?.expression.language !== 'jsonpath') {
    node.error('a target of type "key" needs a JSONPath: json-eval(…)', { attribute: 'xpath' });
  }
}
