import type { RegistryFilter } from '#artifacts';
import { compileJavaRegex } from '#core/java';

/** Settings of a filter by name, as `[registry_handler.filter_properties]` has them. */
export type FilterSettings = Readonly<Record<string, string>>;

/** Resources of one media type, compared without parameters (config-catalog, `registry_handler.filter_properties`). */
export function mediaTypeFilter({ mediaType = '', invert }: FilterSettings): RegistryFilter {
  const isInverted = invert === 'true';
  return { matches: (request) => (request.mediaType === mediaType) !== isInverted };
}

/**
 * Resources whose whole path matches `pattern`, or the pattern of the operation; an operation without a pattern is
 * matched by none.
 *
 * @throws RegexSyntaxError for a malformed pattern
 */
export function urlFilter(settings: FilterSettings): RegistryFilter {
  const isInverted = settings['invert'] === 'true';
  const compiled = (name: string) => {
    const pattern = settings[name] ?? settings['pattern'];
    return pattern === undefined ? undefined : compileJavaRegex(pattern);
  };
  const patterns = {
    GET: compiled('getPattern'),
    PUT: compiled('putPattern'),
    DELETE: compiled('deletePattern'),
  };
  return {
    matches({ operation, path }) {
      const pattern = patterns[operation];
      return pattern !== undefined && pattern.matches(path) !== isInverted;
    },
  };
}
