import { MillraceError } from '#errors';
import { OAuthError } from '../oauth/errors.ts';
import { jsonAnswer, type EndpointAnswer } from './endpoint.ts';

/** The answer to a failed protocol request (RFC 6749 §5.2); unknown failures show nothing of themselves. */
export function answerForError(thrown: unknown): EndpointAnswer {
  if (thrown instanceof OAuthError) {
    const challenge = thrown.error === 'invalid_client' && thrown.status === 401 ? basicChallenge : [];
    return jsonAnswer({ error: thrown.error, error_description: thrown.message }, thrown.status, challenge);
  }
  if (thrown instanceof MillraceError && thrown.status === 413) {
    return jsonAnswer({ error: 'invalid_request', error_description: 'The body is too large' }, 413);
  }
  if (thrown instanceof MillraceError && thrown.status === 429) {
    return jsonAnswer({ error: 'temporarily_unavailable', error_description: thrown.message }, 429);
  }
  if (thrown instanceof MillraceError && thrown.code === 'invalid_request') {
    return jsonAnswer({ error: 'invalid_request', error_description: thrown.message }, 400);
  }
  if (thrown instanceof MillraceError && isOfDatabase(thrown)) {
    return jsonAnswer({ error: 'server_error', error_description: 'Service Unavailable Error.' }, 502);
  }
  return jsonAnswer({ error: 'server_error', error_description: 'Internal Server Error.' }, 500);
}

const basicChallenge = ['WWW-Authenticate', 'Basic realm="millrace"'];

/** A failed database is told apart, as clients of the original expect (identity 2.4, row 12). */
function isOfDatabase({ code }: MillraceError): boolean {
  return String(code).startsWith('MR_DB_') || String(code).startsWith('MR_POOL_');
}
