/** Whose notifications these are; handed to every store. */
export interface NotifyTenant {
  /** `-1234` for the super tenant. */
  readonly id: number;
  readonly domain: string;
  readonly isActive: boolean;
}

/** The tenant whose publishers are files of the home. */
export const superTenant: NotifyTenant = Object.freeze({ id: -1234, domain: 'carbon.super', isActive: true });

export function isSuper({ id }: NotifyTenant): boolean {
  return id === superTenant.id;
}
