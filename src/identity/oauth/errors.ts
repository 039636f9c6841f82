import { MillraceError } from '#errors';

/** The codes of RFC 6749 §5.2, §4.1.2.1, RFC 6750 §3.1, RFC 8628 §3.5, OpenID Connect Core 3.1.2.6, and their statuses. */
const statuses = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  invalid_scope: 400,
  access_denied: 400,
  server_error: 500,
  temporarily_unavailable: 503,
  invalid_token: 401,
  insufficient_scope: 403,
  authorization_pending: 400,
  slow_down: 400,
  expired_token: 400,
  login_required: 400,
  consent_required: 400,
  interaction_required: 400,
  account_selection_required: 400,
  invalid_request_uri: 400,
  invalid_request_object: 400,
  request_not_supported: 400,
  request_uri_not_supported: 400,
  registration_not_supported: 400,
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
  invalid_software_statement: 400,
  unapproved_software_statement: 400,
  unsupported_token_type: 400,
  invalid_callback: 400,
} as const;

export type OAuthErrorCode = keyof typeof statuses;

export function isOAuthErrorCode(text: string): text is OAuthErrorCode {
  return Object.hasOwn(statuses, text);
}

/** What the protocol answers: `message` goes to the client as `error_description`, `detail` only to the log. */
export class OAuthError extends MillraceError {
  readonly error: OAuthErrorCode;

  constructor(
    error: OAuthErrorCode,
    message: string,
    facts: { readonly detail?: string; readonly cause?: unknown; readonly status?: number } = {},
  ) {
    const { status = statuses[error], ...rest } = facts;
    super({ ...rest, code: error, message, status });
    this.error = error;
  }
}
