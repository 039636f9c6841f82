import {
  createRegistryHandlers,
  registryMethods,
  registryOperations,
  type BoundRegistryHandler,
  type RegistryFilter,
  type RegistryHandler,
  type RegistryHandlers,
  type RegistryOperation,
} from '#artifacts';
import {
  registryHandler,
  registryHandlerFilterProperties,
  registryHandlerNestedProperty,
  registryHandlerProperties,
  registryNestedValue,
  type Config,
  type Reader,
} from '#config';
import { getLogger } from '#core';
import { resolveExtension, setProperties, type ExtensionPlace } from '#mediation';
import { isAbsentExtension } from './absent-extension.ts';
import { mediaTypeFilter, urlFilter, type FilterSettings } from './registry-filters.ts';

const log = getLogger('artifacts');

/** Filters of the original that are built in, by class. */
const filters: Readonly<Record<string, (settings: FilterSettings) => RegistryFilter>> = {
  'org.wso2.carbon.registry.core.jdbc.handlers.filters.MediaTypeMatcher': mediaTypeFilter,
  'org.wso2.carbon.registry.core.jdbc.handlers.filters.URLMatcher': urlFilter,
};

/** One element of a structured property. */
interface NestedValue {
  readonly tag: string;
  readonly value: string;
  readonly key: string | undefined;
}

/**
 * Makes the handlers of `[[registry_handler]]`, in the order of the file. One whose class or filter nothing stands in
 * for is left out with a warning, as in the original (config-catalog 3).
 *
 * @throws ProblemsError for a property that a handler does not have, or a pattern that is malformed
 */
export function openRegistryHandlers(config: Config, place: ExtensionPlace): RegistryHandlers {
  return createRegistryHandlers(config.list(registryHandler).flatMap((reader) => bind(reader, place)));
}

function bind(reader: Reader, place: ExtensionPlace): BoundRegistryHandler[] {
  const className = reader.get(registryHandler.class);
  const filterClass = reader.get(registryHandler.filterClass);
  if (className === undefined || filterClass === undefined) return [];
  const handlerName = {
    className,
    position: reader.position(registryHandler.class),
    kind: 'registry handler',
    methods: Object.values(registryMethods),
  };
  const filterName = {
    className: filterClass,
    position: reader.position(registryHandler.filterClass),
    kind: 'registry filter',
    methods: ['matches'],
  };
  const settings = reader.bag(registryHandlerFilterProperties.values);
  try {
    const handler = resolveExtension(handlerName, place)() as RegistryHandler;
    const builtIn = Object.hasOwn(filters, filterClass) ? filters[filterClass] : undefined;
    const filter = builtIn?.(settings) ?? (resolveExtension(filterName, place)() as RegistryFilter);
    if (!builtIn) setProperties(filterName, filter, nameValues(settings));
    setProperties(handlerName, handler, [
      ...nameValues(reader.bag(registryHandlerProperties.values)),
      ...nestedProperties(reader),
    ]);
    const operations = operationsOf(reader, className);
    return [
      {
        name: className,
        handler,
        matches: (request) => operations.has(request.operation) && filter.matches(request),
      },
    ];
  } catch (error) {
    if (!isAbsentExtension(error)) throw error;
    log.warn({ handler: className, err: error }, 'a registry handler is left out');
    return [];
  }
}

/** Operations of `method`; all of them when it is absent. */
function operationsOf(reader: Reader, handler: string): ReadonlySet<RegistryOperation> {
  const named = reader.get(registryHandler.method);
  if (named === undefined) return new Set(registryOperations);
  const names = named.map((name) => name.trim().toUpperCase());
  const known = registryOperations.filter((operation) => names.includes(operation));
  const never = names.filter((name) => !known.some((operation) => operation === name));
  if (never.length > 0) {
    log.warn(
      { handler, operations: never },
      'operations of a registry handler never happen: only GET, PUT and DELETE do',
    );
  }
  return new Set(known);
}

/** Structured properties that are in use: elements for `xml`, else their texts as one. */
function nestedProperties(reader: Reader): { name: string; value: readonly NestedValue[] | string }[] {
  return reader.list(registryHandlerNestedProperty).flatMap((property) => {
    const name = property.get(registryHandlerNestedProperty.name);
    if (!property.get(registryHandlerNestedProperty.enable) || name === undefined) return [];
    const values = property
      .list(registryNestedValue)
      .filter((value) => value.name === name)
      .map((value) => ({
        tag: value.get(registryNestedValue.tag) ?? '',
        value: value.get(registryNestedValue.value) ?? '',
        key: value.get(registryNestedValue.key),
      }));
    const isXml = property.get(registryHandlerNestedProperty.type) === 'xml';
    return [{ name, value: isXml ? values : values.map(({ value }) => value).join('') }];
  });
}

function nameValues(bag: Readonly<Record<string, string>>): { name: string; value: string }[] {
  return Object.entries(bag).map(([name, value]) => ({ name, value }));
}
