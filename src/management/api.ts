import type { World } from '#artifacts';
import { createRestApi, type Principal, type RestApi } from '#rest';
import { artifactOperations } from './artifacts.ts';

export interface ManagementOptions {
  world(): World;
  /** Checks a user's password. */
  verify(username: string, password: string): Promise<boolean>;
  /** Where others reach the server, for the API's own definition. */
  readonly publicUrl?: string;
}

/** The runtime's management API: what is deployed. Callers sign in with HTTP Basic. */
export function createManagementApi(options: ManagementOptions): RestApi {
  return createRestApi({
    title: 'Management',
    version: '1',
    basePath: '/management',
    ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
    operations: artifactOperations(() => options.world()),
    authenticate: (request) => authenticate(request, options),
  });
}

async function authenticate(request: Request, options: ManagementOptions): Promise<Principal | undefined> {
  const match = /^Basic\s+([A-Za-z0-9+/=]+)$/i.exec(request.headers.get('Authorization') ?? '');
  if (!match?.[1]) return undefined;
  const decoded = Buffer.from(match[1], 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 0 || !(await options.verify(decoded.slice(0, colon), decoded.slice(colon + 1)))) return undefined;
  return { name: decoded.slice(0, colon), tenant: 'carbon.super', hasScope: () => true };
}
