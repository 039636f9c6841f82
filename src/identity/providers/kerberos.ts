import { createRequire } from 'node:module';
import { join } from 'node:path';
import { MillraceError } from '#errors';

/**
 * Accepts a ticket (GSS-API, SPNEGO) for a service and gives the principal of who sent it.
 *
 * @throws MillraceError `MR_KERBEROS` for a ticket that is not good
 */
export type AcceptTicket = (ticket: string, service: string) => Promise<string>;

/** What of the package `kerberos` is used. */
interface KerberosPackage {
  initializeServer(service: string): Promise<KerberosServer>;
}

interface KerberosServer {
  readonly username?: string;
  readonly contextComplete?: boolean;
  step(challenge: string): Promise<unknown>;
}

/**
 * What accepts tickets with the package `kerberos` of the extensions, whose keys come from the keytab of `KRB5_KTNAME`;
 * undefined where the package is not installed.
 */
export function openKerberos(directory: string): AcceptTicket | undefined {
  const found = findPackage(directory);
  if (!found) return undefined;
  return async (ticket, service) => {
    try {
      const server = await found.initializeServer(hostService(service));
      await server.step(ticket);
      const { username, contextComplete } = server;
      if (contextComplete !== false && username !== undefined && username !== '') return username;
    } catch (cause) {
      throw new MillraceError({ code: 'MR_KERBEROS', status: 400, message: 'The ticket is not accepted', cause });
    }
    throw new MillraceError({ code: 'MR_KERBEROS', status: 400, message: 'The ticket names nobody' });
  };
}

function findPackage(directory: string): KerberosPackage | undefined {
  try {
    return createRequire(join(directory, 'extensions.js'))('kerberos') as KerberosPackage;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** `HTTP/host@REALM` as GSS-API names a service of a host: `HTTP@host`. */
function hostService(principal: string): string {
  const [name = ''] = principal.split('@', 1);
  return name.replace('/', '@');
}
