import { randomUUID } from 'node:crypto';
import type { MillraceError } from '#errors';
import { RestError } from '#rest';

interface SenderErrorBody {
  readonly code: string;
  readonly message: string;
  readonly description: string;
  readonly traceId: string;
}

/** Failures of the kit that clients of the original know by another code. */
const codes: Readonly<Record<string, (error: MillraceError) => readonly [message: string, description: string]>> = {
  MR_REST_INVALID: (error) => ['Invalid Request', rulesOf(error)],
  MR_REST_BODY: () => ['Invalid Request', 'The body of the request is not in the expected format.'],
  MR_REST_MEDIA_TYPE: () => ['Invalid Request', 'The body of the request must be application/json.'],
  MR_BODY_TOO_LARGE: (error) => ['Invalid Request', error.message],
  MR_REST_PATH: (error) => ['Invalid Request', error.message],
};

/** The body of a failure (identity 6.3, 6.5); none where the original sends none. */
export function errorBodyFor(error: MillraceError, request: Request): SenderErrorBody | undefined {
  if (error.status === 401 || error.status === 403 || error.status === 405) return undefined;
  const code = String(error.code);
  const traceId = request.headers.get('activityid') ?? randomUUID();
  const known = codes[code];
  if (known) {
    const [message, description] = known(error);
    return { code: 'UE-10000', message, description, traceId };
  }
  if (error.status >= 500 && !code.startsWith('NSM-')) {
    const description = 'The server failed to answer; its log says more.';
    return { code: 'SE-50000', message: 'Unexpected Processing Error.', description, traceId };
  }
  const description = (error instanceof RestError && error.description) || error.message;
  return { code, message: error.message, description, traceId };
}

/** One sentence for each field that breaks its rule; what was found may be a password and is not repeated. */
function rulesOf(error: MillraceError): string {
  const fields = error instanceof RestError ? (error.fields ?? []) : [];
  return fields
    .map(({ field, rule, found }) => {
      const name = field.replace(/^body\.?/, '') || 'body';
      return found === 'nothing' || found === 'null'
        ? `Property ${name} cannot be null.`
        : `Property ${name}: ${rule}.`;
    })
    .join(' ');
}
