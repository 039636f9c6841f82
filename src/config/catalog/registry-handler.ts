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
      inert: 'the registry has no such operation.',
    }),
    putChildPattern: key('putChildPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation putChild.',
      inert: 'the registry has no such operation.',
    }),
    importChildPattern: key('importChildPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation importChild.',
      inert: 'the registry has no such operation.',
    }),
    copyPattern: key('copyPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation copy.',
      inert: 'the registry has no such operation.',
    }),
    movePattern: key('movePattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation move.',
      inert: 'the registry has no such operation.',
    }),
    renamePattern: key('renamePattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation rename.',
      inert: 'the registry has no such operation.',
    }),
    createLinkPattern: key('createLinkPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation createLink.',
      inert: 'the registry has no such operation.',
    }),
    removeLinkPattern: key('removeLinkPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation removeLink.',
      inert: 'the registry has no such operation.',
    }),
    executeQueryPattern: key('executeQueryPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation executeQuery.',
      inert: 'the registry has no such operation.',
    }),
    invokeAspectPattern: key('invokeAspectPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation invokeAspect.',
      inert: 'the registry has no such operation.',
    }),
    resourceExistsPattern: key('resourceExistsPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation resourceExists.',
      inert: 'the registry has no such operation.',
    }),
    getRegistryContextPattern: key('getRegistryContextPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation getRegistryContext.',
      inert: 'the registry has no such operation.',
    }),
    addAssociationPattern: key('addAssociationPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation addAssociation.',
      inert: 'the registry has no such operation.',
    }),
    removeAssociationPattern: key('removeAssociationPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation removeAssociation.',
      inert: 'the registry has no such operation.',
    }),
    getAllAssociationsPattern: key('getAllAssociationsPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation getAllAssociations.',
      inert: 'the registry has no such operation.',
    }),
    getAssociationsPattern: key('getAssociationsPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation getAssociations.',
      inert: 'the registry has no such operation.',
    }),
    applyTagPattern: key('applyTagPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation applyTag.',
      inert: 'the registry has no such operation.',
    }),
    getTagsPattern: key('getTagsPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation getTags.',
      inert: 'the registry has no such operation.',
    }),
    removeTagPattern: key('removeTagPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation removeTag.',
      inert: 'the registry has no such operation.',
    }),
    addCommentPattern: key('addCommentPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation addComment.',
      inert: 'the registry has no such operation.',
    }),
    editCommentPattern: key('editCommentPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation editComment.',
      inert: 'the registry has no such operation.',
    }),
    removeCommentPattern: key('removeCommentPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation removeComment.',
      inert: 'the registry has no such operation.',
    }),
    getCommentsPattern: key('getCommentsPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation getComments.',
      inert: 'the registry has no such operation.',
    }),
    rateResourcePattern: key('rateResourcePattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation rateResource.',
      inert: 'the registry has no such operation.',
    }),
    getAverageRatingPattern: key('getAverageRatingPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation getAverageRating.',
      inert: 'the registry has no such operation.',
    }),
    getRatingPattern: key('getRatingPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation getRating.',
      inert: 'the registry has no such operation.',
    }),
    createVersionPattern: key('createVersionPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation createVersion.',
      inert: 'the registry has no such operation.',
    }),
    getVersionsPattern: key('getVersionsPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation getVersions.',
      inert: 'the registry has no such operation.',
    }),
    restoreVersionPattern: key('restoreVersionPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation restoreVersion.',
      inert: 'the registry has no such operation.',
    }),
    dumpPattern: key('dumpPattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation dump.',
      inert: 'the registry has no such operation.',
    }),
    restorePattern: key('restorePattern', text(), {
      additional: true,
      doc: 'URLMatcher: paths for the operation restore.',
      inert: 'the registry has no such operation.',
    }),
    invert: key('invert', boolean(), {
      default: false,
      additional: true,
      doc: 'Negates the filter.',
      effect: 'matches resources that do not match.',
    }),
  },
});
