/** How a user has proved who they are. */
export interface Authentication {
  /** Methods as `amr` shows them (RFC 8176). */
  readonly methods: readonly string[];
  /** True when a browser was remembered, maybe for weeks. */
  readonly isRemembered?: boolean;
}

/** The classes that `acr` may have here: a remembered browser is none that payments should rely on (OIDC Core 2). */
export const authenticationClasses = ['0', '1'] as const;

/** `acr` of a sign-in. */
export function classOf({ isRemembered = false }: Authentication): string {
  return isRemembered ? '0' : '1';
}
