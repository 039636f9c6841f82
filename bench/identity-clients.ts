/** The clients of the token benchmarks, the same in ours and in the peer. */
export function benchClient(index: number): { readonly id: string; readonly secret: string } {
  return { id: `client${index}`, secret: `secret-of-client-${index}-0123456789` };
}

export const clientCount = 10_000;

/** Refresh tokens of the first client that one run renews in turn: more than there are connections. */
export const refreshTokensOfRun = 256;

/** All of them: each run has its own, since another one does not know which of them were used. */
export const refreshCount = 32 * refreshTokensOfRun;
