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
    importPattern: key('importPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation import.',
      effect: 'a regular expression that matches the whole path.',
    }),
    putChildPattern: key('putChildPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation putChild.',
      effect: 'a regular expression that matches the whole path.',
    }),
    importChildPattern: key('importChildPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation importChild.',
      effect: 'a regular expression that matches the whole path.',
    }),
    copyPattern: key('copyPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation copy.',
      effect: 'a regular expression that matches the whole path.',
    }),
    movePattern: key('movePattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation move.',
      effect: 'a regular expression that matches the whole path.',
    }),
    renamePattern: key('renamePattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation rename.',
      effect: 'a regular expression that matches the whole path.',
    }),
    createLinkPattern: key('createLinkPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation createLink.',
      effect: 'a regular expression that matches the whole path.',
    }),
    removeLinkPattern: key('removeLinkPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation removeLink.',
      effect: 'a regular expression that matches the whole path.',
    }),
    executeQueryPattern: key('executeQueryPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation executeQuery.',
      effect: 'a regular expression that matches the whole path.',
    }),
    invokeAspectPattern: key('invokeAspectPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation invokeAspect.',
      effect: 'a regular expression that matches the whole path.',
    }),
    resourceExistsPattern: key('resourceExistsPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation resourceExists.',
      effect: 'a regular expression that matches the whole path.',
    }),
    getRegistryContextPattern: key('getRegistryContextPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation getRegistryContext.',
      effect: 'a regular expression that matches the whole path.',
    }),
    addAssociationPattern: key('addAssociationPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation addAssociation.',
      effect: 'a regular expression that matches the whole path.',
    }),
    removeAssociationPattern: key('removeAssociationPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation removeAssociation.',
      effect: 'a regular expression that matches the whole path.',
    }),
    getAllAssociationsPattern: key('getAllAssociationsPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation getAllAssociations.',
      effect: 'a regular expression that matches the whole path.',
    }),
    getAssociationsPattern: key('getAssociationsPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation getAssociations.',
      effect: 'a regular expression that matches the whole path.',
    }),
    applyTagPattern: key('applyTagPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation applyTag.',
      effect: 'a regular expression that matches the whole path.',
    }),
    getTagsPattern: key('getTagsPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation getTags.',
      effect: 'a regular expression that matches the whole path.',
    }),
    removeTagPattern: key('removeTagPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation removeTag.',
      effect: 'a regular expression that matches the whole path.',
    }),
    addCommentPattern: key('addCommentPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation addComment.',
      effect: 'a regular expression that matches the whole path.',
    }),
    editCommentPattern: key('editCommentPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation editComment.',
      effect: 'a regular expression that matches the whole path.',
    }),
    removeCommentPattern: key('removeCommentPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation removeComment.',
      effect: 'a regular expression that matches the whole path.',
    }),
    getCommentsPattern: key('getCommentsPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation getComments.',
      effect: 'a regular expression that matches the whole path.',
    }),
    rateResourcePattern: key('rateResourcePattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation rateResource.',
      effect: 'a regular expression that matches the whole path.',
    }),
    getAverageRatingPattern: key('getAverageRatingPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation getAverageRating.',
      effect: 'a regular expression that matches the whole path.',
    }),
    getRatingPattern: key('getRatingPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation getRating.',
      effect: 'a regular expression that matches the whole path.',
    }),
    createVersionPattern: key('createVersionPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation createVersion.',
      effect: 'a regular expression that matches the whole path.',
    }),
    getVersionsPattern: key('getVersionsPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation getVersions.',
      effect: 'a regular expression that matches the whole path.',
    }),
    restoreVersionPattern: key('restoreVersionPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation restoreVersion.',
      effect: 'a regular expression that matches the whole path.',
    }),
    dumpPattern: key('dumpPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation dump.',
      effect: 'a regular expression that matches the whole path.',
    }),
    restorePattern: key('restorePattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation restore.',
      effect: 'a regular expression that matches the whole path.',
    }),
    invert: key('invert', boolean(), {
      default: false,
      additional: true,
      doc: 'Negates the filter.',
      effect: 'matches resources that do not match.',
    }),
  },
});
