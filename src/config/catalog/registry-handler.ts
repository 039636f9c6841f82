import { defineSection, key } from './define.ts';
import { bag, boolean, className, list, oneOf, text } from './types.ts';

export const registryHandler = defineSection({
  path: 'registry_handler',
  repeated: true,
  doc: 'Handlers of registry operations.',
  keys: {
    class: key('class', className(), {
      required: true,
      doc: 'Handler class.',
      mapped:
        'module of a registry handler (methods get, put, delete), by its specifier or through the class map; a class that nothing stands in for is left out with a warning.',
    }),
    filterClass: key(
      'filter_class',
      className([
        'org.wso2.carbon.registry.core.jdbc.handlers.filters.MediaTypeMatcher',
        'org.wso2.carbon.registry.core.jdbc.handlers.filters.URLMatcher',
      ]),
      {
        required: true,
        doc: 'Media type or URL matcher filter.',
        mapped: 'the two known matcher class names select the built-in filters; other -> extension.',
      },
    ),
    method: key('method', list(), {
      aliases: ['methods'],
      additional: true,
      doc: 'Operations handled.',
      effect:
        'list of GET, PUT and DELETE; absent = all. Other operations of the original never happen here and are named in a warning.',
    }),
  },
});

export const registryHandlerProperties = defineSection({
  path: 'registry_handler.properties',
  doc: 'Settings of a handler.',
  keys: {
    values: key('<name>', bag(), {
      doc: 'Custom properties.',
      effect: 'passed to the handler.',
    }),
  },
});

export const registryHandlerNestedProperty = defineSection({
  path: 'registry_handler.nested_property',
  repeated: true,
  doc: 'Structured settings of a handler.',
  keys: {
    enable: key('enable', boolean(), { default: false, doc: 'Use the property.', effect: 'false ignores it.' }),
    name: key('name', text(), {
      required: true,
      doc: 'Parent property name.',
      effect: 'name of the structured property and of the child table.',
    }),
    type: key('type', oneOf('xml', 'null'), { default: 'xml', doc: 'Type.', effect: 'xml = structured value.' }),
  },
});

export const registryNestedValue = defineSection({
  path: 'registry_handler.nested_property.<parent_property_name>',
  repeated: true,
  doc: 'Values of a structured setting.',
  keys: {
    tag: key('tag', text(), { required: true, doc: 'Element name.', effect: 'element name.' }),
    value: key('value', text(), { required: true, doc: 'Element text.', effect: 'text of the element.' }),
    key: key('key', text(), { doc: 'key attribute.', effect: 'key attribute.' }),
  },
});

/** Operations of the original's registry that this one does not have. */
const absentOperations = [
  'import',
  'putChild',
  'importChild',
  'copy',
  'move',
  'rename',
  'createLink',
  'removeLink',
  'executeQuery',
  'invokeAspect',
  'resourceExists',
  'getRegistryContext',
  'addAssociation',
  'removeAssociation',
  'getAllAssociations',
  'getAssociations',
  'applyTag',
  'getTags',
  'removeTag',
  'addComment',
  'editComment',
  'removeComment',
  'getComments',
  'rateResource',
  'getAverageRating',
  'getRating',
  'createVersion',
  'getVersions',
  'restoreVersion',
  'dump',
  'restore',
] as const;

const neverAsked = Object.fromEntries(
  absentOperations.map((operation) => [
    `${operation}Pattern`,
    key(`${operation}Pattern`, text(), {
      additional: true,
      doc: `URLMatcher: paths for the operation ${operation}.`,
      inert: 'the registry has no such operation.',
    }),
  ]),
);

export const registryHandlerFilterProperties = defineSection({
  path: 'registry_handler.filter_properties',
  doc: 'What a handler is called for.',
  keys: {
    values: key('<name>', bag(), {
      doc: 'Settings of the filter.',
      effect: 'mediaType, pattern and invert below; other names go to the filter.',
    }),
    mediaType: key('mediaType', text(), {
      additional: true,
      doc: 'MediaTypeMatcher: media type.',
      effect: 'exact media type of the resource (without parameters).',
    }),
    pattern: key('pattern', text(), {
      additional: true,
      doc: 'URLMatcher: path pattern for every operation.',
      effect: 'full-match regular expression on the registry path.',
    }),
    getPattern: key('getPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation get.',
      effect: 'a regular expression that matches the whole path.',
    }),
    putPattern: key('putPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation put.',
      effect: 'a regular expression that matches the whole path.',
    }),
    deletePattern: key('deletePattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation delete.',
      effect: 'a regular expression that matches the whole path.',
    }),
    ...neverAsked,
    invert: key('invert', boolean(), {
      default: false,
      additional: true,
      doc: 'Negates the filter.',
      effect: 'matches resources that do not match.',
    }),
  },
});
