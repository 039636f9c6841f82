import type { SourceNode } from '#xml';
import type { ParseContext } from '../context.ts';
import { defineMediator } from '../mediator.ts';
import {
  compileCollection,
  parseCollection,
  serializeCollection,
  type CollectionLoop,
} from '../shared/foreach-collection.ts';
import { compileInPlace, parseInPlace, serializeInPlace, type InPlaceLoop } from '../shared/foreach-in-place.ts';

/** The two forms of the mediator; the attribute `collection` chooses the newer one. */
type Definition = { readonly collection: CollectionLoop } | { readonly inPlace: InPlaceLoop };

const inPlaceAttributes = ['id', 'expression', 'sequence', 'continueLoopOnFailure'];
const collectionAttributes = [
  'collection',
  'parallel-execution',
  'update-original',
  'target-variable',
  'result-content-type',
  'result-enclosing-element',
  'counter-variable',
  'continue-without-aggregation',
  // Spellings of the first version of the newer form.
  'result-target',
  'result-type',
];

/** `<foreach>`: runs a sequence for each element of a list (mediators 5.4, 5.5). */
export const foreach = defineMediator<Definition>({
  element: 'foreach',
  attributes: [...inPlaceAttributes, ...collectionAttributes],
  children: ['sequence'],
  needsBody: () => true,
  parse: (node, context) => parseForm(node, context),
  serialize: (definition) =>
    'collection' in definition ? serializeCollection(definition.collection) : serializeInPlace(definition.inPlace),
  compile: (definition, context) =>
    'collection' in definition
      ? compileCollection(definition.collection, context)
      : compileInPlace(definition.inPlace, context),
});

function parseForm(node: SourceNode, context: ParseContext): Definition {
  const isCollection = node.attribute('collection') !== undefined;
  node.knowOnly([
    ...(isCollection ? collectionAttributes : inPlaceAttributes),
    'description',
    'statistics',
    'trace',
    'traceFilter',
  ]);
  return isCollection ? { collection: parseCollection(node, context) } : { inPlace: parseInPlace(node, context) };
}
