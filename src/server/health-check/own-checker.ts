import { getLogger } from '#core';
import { MillraceError, messageOf } from '#errors';
import { extensionLog, resolveExtension, type Extension, type ExtensionPlace, type NamedExtension } from '#mediation';
import type { HealthChecker, HealthError, HealthFindings, HealthProperties } from './checker.ts';

const log = getLogger('server');

/** A checker of the extensions; `init` gets the properties of its section as `parameters`. */
export interface OwnHealthChecker extends Extension {
  /**
   * Gives what the answer shows when all is well, or nothing. What it throws means the opposite: an error with a list
   * `errors` of `{ code, message, description }` is shown as it says, any other one only in the log.
   */
  checkHealth(): OwnProperties | void | Promise<OwnProperties | void>;
}

type OwnProperties = Readonly<Record<string, string | number | boolean>>;

export interface OwnCheckerFacts {
  readonly name: string;
  readonly order: number;
  readonly properties: Readonly<Record<string, string>>;
  readonly position: NamedExtension['position'];
}

/**
 * Loads and starts the checker that a `[[health_checker]]` names: a module, or a class that `[millrace.class_map]` maps.
 *
 * @throws ProblemsError for a name that nothing stands in for or a module without `checkHealth`, MillraceError
 *   `MR_HEALTH_CHECKER_START` for what its `init` throws
 */
export async function openOwnChecker(
  { name, order, properties, position }: OwnCheckerFacts,
  place: ExtensionPlace,
): Promise<HealthChecker & AsyncDisposable> {
  const named = { className: name, position, kind: 'health checker', methods: ['checkHealth'] };
  const own = resolveExtension(named, place)() as OwnHealthChecker;
  const id = `health_checker:${name}`;
  try {
    await own.init?.({ id, log: extensionLog(log, id), parameters: properties });
  } catch (error) {
    const message = `the health checker "${name}" did not start: ${messageOf(error)}`;
    throw new MillraceError({ code: 'MR_HEALTH_CHECKER_START', message, cause: error });
  }
  return {
    name,
    order,
    async check() {
      try {
        return { properties: propertiesOf(name, await own.checkHealth()), errors: [] };
      } catch (error) {
        const findings = findingsOf(error);
        if (!findings) throw error;
        return findings;
      }
    },
    async [Symbol.asyncDispose]() {
      try {
        await own.destroy?.();
      } catch (error) {
        log.error({ err: error, checker: name }, 'a health checker did not stop');
      }
    },
  };
}

function propertiesOf(name: string, given: unknown): HealthProperties {
  if (given === undefined || given === null) return {};
  if (typeof given !== 'object' || Array.isArray(given)) {
    const message = `the health checker "${name}" gave ${Array.isArray(given) ? 'a list' : typeof given}; expected an object of properties`;
    throw new MillraceError({ code: 'MR_HEALTH_CHECKER_RESULT', message });
  }
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, String(value)]));
}

/** What an error says that was made to be shown; undefined for any other one, such as one of several attempts. */
function findingsOf(error: unknown): HealthFindings | undefined {
  const told: unknown = error instanceof Error ? Reflect.get(error, 'errors') : undefined;
  if (!Array.isArray(told) || told.length === 0 || !told.every(isTold)) return undefined;
  const errors = told.map(({ code, message, description = '' }) => ({ code, message, description }));
  return { properties: {}, errors };
}

function isTold(value: unknown): value is Omit<HealthError, 'description'> & { readonly description?: string } {
  if (typeof value !== 'object' || value === null || value instanceof Error) return false;
  const texts = ['code', 'message'].map((name): unknown => Reflect.get(value, name));
  const description: unknown = Reflect.get(value, 'description') ?? '';
  return [...texts, description].every((text) => typeof text === 'string');
}
