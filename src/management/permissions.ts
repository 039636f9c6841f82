import type { Principal } from '#rest';

/** What a caller may do: look, change, act on itself, or what administrators do (management 1.3). */
export type Permission = 'read' | 'write' | 'self' | 'admin';

/** Somebody who signed in. */
export interface Account {
  readonly name: string;
  readonly isAdmin: boolean;
}

export interface PermissionSettings {
  /** False when nobody is kept from what administrators do. */
  readonly checksAdmin: boolean;
  /** True when only administrators may change anything. */
  readonly othersOnlyRead: boolean;
}

/** A caller as the API's operations see it; the permissions of an operation are its scope. */
export function principalOf({ name, isAdmin }: Account, settings: PermissionSettings): Principal {
  return {
    name,
    tenant: 'carbon.super',
    hasScope(scope) {
      switch (scope as Permission) {
        case 'read':
        case 'self':
          return true;
        case 'write':
          return isAdmin || !settings.othersOnlyRead;
        case 'admin':
          return isAdmin || !settings.checksAdmin;
      }
    },
  };
}
