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
        'module specifier of a registry handler extension (put, get, delete, move, copy... callbacks); known media type handlers are built in.',
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
        'comma list of PUT, GET, DELETE, IMPORT, MOVE, RENAME, COPY, ADD_ASSOCIATION, REMOVE_ASSOCIATION, RESTORE...; absent = all.',
    }),
  },
});

export const registryHandlerProperties = defineSection({
  path: 'registry_handler.properties',
  doc: 'Settings of a handler.',
  keys: {
    values: key('<name>', bag(), {
      note: 'key-value pairs',
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
    value: key('value', text(), { required: true, doc: 'Element text.', effect: 'text.' }),
    key: key('key', text(), { doc: 'key attribute.', effect: 'key attribute.' }),
  },
});

export const registryHandlerFilterProperties = defineSection({
  path: 'registry_handler.filter_properties',
  doc: 'What a handler is called for.',
  keys: {
    values: key('<name>', bag(), {
      note: 'keys not shown in the document',
      doc: 'Filter element settings.',
      effect: 'see the three keys below; other names go to the filter extension.',
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
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    putPattern: key('putPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    deletePattern: key('deletePattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    importPattern: key('importPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    putChildPattern: key('putChildPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    importChildPattern: key('importChildPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    copyPattern: key('copyPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    movePattern: key('movePattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    renamePattern: key('renamePattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    createLinkPattern: key('createLinkPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    removeLinkPattern: key('removeLinkPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    executeQueryPattern: key('executeQueryPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    invokeAspectPattern: key('invokeAspectPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    resourceExistsPattern: key('resourceExistsPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    getRegistryContextPattern: key('getRegistryContextPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    addAssociationPattern: key('addAssociationPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    removeAssociationPattern: key('removeAssociationPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    getAllAssociationsPattern: key('getAllAssociationsPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    getAssociationsPattern: key('getAssociationsPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    applyTagPattern: key('applyTagPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    getTagsPattern: key('getTagsPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    removeTagPattern: key('removeTagPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    addCommentPattern: key('addCommentPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    editCommentPattern: key('editCommentPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    removeCommentPattern: key('removeCommentPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    getCommentsPattern: key('getCommentsPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    rateResourcePattern: key('rateResourcePattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    getAverageRatingPattern: key('getAverageRatingPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    getRatingPattern: key('getRatingPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    createVersionPattern: key('createVersionPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    getVersionsPattern: key('getVersionsPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    restoreVersionPattern: key('restoreVersionPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    dumpPattern: key('dumpPattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    restorePattern: key('restorePattern', text(), {
      additional: true,
      doc: 'URLMatcher: pattern for one operation.',
      effect: 'as pattern, one operation.',
    }),
    invert: key('invert', boolean(), {
      default: false,
      additional: true,
      doc: 'Negates the filter.',
      effect: 'matches resources that do not match.',
    }),
  },
});
