import { applyTls, type ServerTls } from './tls.ts';

/** The certificates of `[truststore]`, for clients that are not of HTTP. */
export interface TrustedCertificates extends Disposable {
  /** As PEM; undefined where the configuration names no trust store. */
  readonly current: () => readonly string[] | undefined;
}

/** Reads the trust store when it is first asked for, and again after each change of its file. */
export function openTrusted(tls: Pick<ServerTls, 'trusted' | 'onChange'>): TrustedCertificates {
  let read: { readonly certificates: readonly string[] | undefined } | undefined;
  const change = tls.onChange(() => {
    if (!read) return;
    void applyTls(() => {
      read = { certificates: tls.trusted() };
    });
  });
  return {
    current() {
      read ??= { certificates: tls.trusted() };
      return read.certificates;
    },
    [Symbol.dispose]: () => change[Symbol.dispose](),
  };
}
