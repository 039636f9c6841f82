import type { Audit } from '#core';
import { createRestApi, type Operation, type RestApi } from '#rest';
import type { FindCaller } from '../oauth/callers.ts';
import { authenticateBy } from './authenticate.ts';

/** What every administrative API needs. */
export interface AdministrativeApiParts {
  readonly findCaller: FindCaller;
  readonly audit: Audit;
  readonly publicUrl: string;
}

/** An administrative API of the server: operations below one path, for callers with HTTP Basic or a token. */
export function createAdministrativeApi(
  title: string,
  operations: readonly Operation[],
  { findCaller, audit, publicUrl }: AdministrativeApiParts,
): RestApi {
  return createRestApi({
    title,
    version: 'v1',
    basePath: '/api/server/v1',
    operations,
    publicUrl,
    audit,
    authenticate: authenticateBy(findCaller),
    challenge: 'Basic realm="millrace"',
  });
}
