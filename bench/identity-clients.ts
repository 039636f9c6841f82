/** The clients of the token benchmarks, the same in ours and in the peer. */
export function benchClient(index: number): { readonly id: string; readonly secret: string } {
  return { id: `client${index}`, secret: `secret-of-client-${index}-0123456789` };
}

export const clientCount = 10_000;
