import { isIP } from 'node:net';
import { connect, type DetailedPeerCertificate } from 'node:tls';
import { MillraceError } from '#errors';

/** What a runtime shows of itself before anything is sent to it. */
export interface ShownCertificate {
  /** True when the trusted certificates vouch for it. */
  readonly isTrusted: boolean;
  /** SHA-256, in hexadecimal pairs. */
  readonly fingerprint: string;
  /** The certificate that vouches for the others of its chain: itself when it is self-signed. */
  readonly authorityPem: string;
}

const patience = 5_000;

/**
 * Opens a connection, looks at the certificate and closes it; not a byte of the protocol is sent.
 *
 * @param trusted certificates to check against; those of the system when absent
 * @throws MillraceError `MR_DASHBOARD_UNREACHABLE` (502)
 */
export function peekCertificate(url: string, trusted: readonly string[] | undefined): Promise<ShownCertificate> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const fail = (cause?: unknown): void => {
      socket.destroy();
      reject(
        new MillraceError({
          code: 'MR_DASHBOARD_UNREACHABLE',
          status: 502,
          message: `No connection to ${hostname}:${port || 443}`,
          cause,
        }),
      );
    };
    const socket = connect(
      {
        host,
        port: Number(port || 443),
        // Only the certificate is looked at; whether it is trusted is said in the result.
        rejectUnauthorized: false,
        ...(trusted ? { ca: [...trusted] } : {}),
        ...(isIP(host) ? {} : { servername: host }),
      },
      () => {
        const certificate = socket.getPeerCertificate(true);
        const isTrusted = socket.authorized;
        socket.destroy();
        resolve({ isTrusted, fingerprint: certificate.fingerprint256, authorityPem: pemOf(authorityOf(certificate)) });
      },
    );
    socket.setTimeout(patience, () => fail(new Error('timeout')));
    socket.on('error', fail);
  });
}

function authorityOf(certificate: DetailedPeerCertificate): DetailedPeerCertificate {
  let current = certificate;
  for (let depth = 0; depth < 10; depth++) {
    const issuer = current.issuerCertificate as DetailedPeerCertificate | undefined;
    if (!issuer || issuer.fingerprint256 === current.fingerprint256) break;
    current = issuer;
  }
  return current;
}

function pemOf(certificate: DetailedPeerCertificate): string {
  const lines = certificate.raw.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
