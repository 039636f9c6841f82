import { MillraceError } from '#errors';
import type { Tenant } from '../tenants/tenant.ts';
import type { Client } from './client.ts';
import { OAuthError } from './errors.ts';
import { loadModule, methodOf, type ExtensionModules, type Method } from './extension-module.ts';
import type { Subject } from './tokens.ts';

/** The validator that is built in, by the original's name for it: a registered scope needs one of its roles. */
export const roleBasedValidator = 'Role based scope validator';

/** What a validator of one's own learns of the scopes that somebody wants. */
export interface ScopeFacts {
  readonly tenant: Tenant;
  readonly client: Pick<Client, 'id' | 'name' | 'owner'>;
  readonly subject: Subject;
  readonly scopes: readonly string[];
}

/** What decides about the scopes of a client besides the rules of the server (identity 4.8, row 5). */
export interface ScopeValidators {
  /**
   * Checks names that a client shall have.
   *
   * @throws MillraceError `MR_SCOPE_VALIDATOR` (400) for one that is not built in and that no module stands for
   */
  check(names: readonly string[]): void;
  /**
   * Asks the modules among a client's validators.
   *
   * @throws OAuthError `invalid_scope` when one says no; MillraceError `MR_SCOPE_VALIDATOR` when one is gone
   */
  validate(names: readonly string[], facts: ScopeFacts): Promise<void>;
}

/** Whether the roles of registered scopes count: they do for clients without validators of their own. */
export function checksRoles({ scopeValidators }: Pick<Client, 'scopeValidators'>): boolean {
  return scopeValidators.length === 0 || scopeValidators.includes(roleBasedValidator);
}

/**
 * The validators that there are: the built-in one, and the classes of `[millrace.class_map]` whose module has
 * `validate`. Modules are not named by the administrators of clients, who may belong to a tenant.
 */
export function createScopeValidators(modules: ExtensionModules): ScopeValidators {
  const loaded = new Map<string, Method | undefined>();

  const find = (name: string): Method | undefined => {
    if (!Object.hasOwn(modules.classMap, name)) return undefined;
    if (!loaded.has(name)) {
      const place = { key: 'millrace.class_map', modules, otherwise: 'no scope passes this validator' };
      loaded.set(
        name,
        loadModule(name, place, (exported) => methodOf(exported, 'validate')),
      );
    }
    return loaded.get(name);
  };

  return {
    check(names) {
      const unknown = names.find((name) => name !== roleBasedValidator && !find(name));
      if (unknown !== undefined) throw notThere(unknown, 400);
    },
    async validate(names, facts) {
      for (const name of names) {
        if (name === roleBasedValidator) continue;
        const validator = find(name);
        if (!validator) throw notThere(name, 500);
        if ((await validator(facts)) !== true) {
          throw new OAuthError('invalid_scope', `The scopes are not allowed by the validator "${name}"`);
        }
      }
    },
  };
}

function notThere(name: string, status: number): MillraceError {
  const expected = `expected "${roleBasedValidator}" or a class of [millrace.class_map] whose module has "validate"`;
  return new MillraceError({
    code: 'MR_SCOPE_VALIDATOR',
    status,
    message: status === 400 ? `scope_validators: ${expected}, found "${name}"` : 'The scopes cannot be checked',
    detail: `scope_validators: ${expected}, found "${name}"`,
  });
}
