import { MillraceError } from '#errors';

/** Kinds of errors of RFC 7644 §3.12. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'
  | 'sensitive';

/** A failure as SCIM tells it. */
export class ScimError extends MillraceError {
  readonly scimType: ScimType | undefined;

  constructor(status: number, message: string, scimType?: ScimType) {
    super({ code: `MR_SCIM_${scimType ?? status}`, status, message });
    this.scimType = scimType;
  }
}

/** What failures of the stores mean to clients of SCIM. */
const typesByCode: Readonly<Record<string, ScimType>> = {
  MR_USER_EXISTS: 'uniqueness',
  MR_ROLE_EXISTS: 'uniqueness',
  MR_USER_NAME: 'invalidValue',
  MR_USER_PASSWORD: 'invalidValue',
  MR_ROLE_NAME: 'invalidValue',
  MR_ROLE_UNKNOWN: 'invalidValue',
  MR_CLAIM_UNKNOWN: 'invalidValue',
  MR_CLAIM_VALUE: 'invalidValue',
  MR_STORE_READ_ONLY: 'mutability',
  MR_REST_BODY: 'invalidSyntax',
  MR_REST_INVALID: 'invalidValue',
};

/** The body of an error (RFC 7644 §3.12). */
export function scimErrorBody(error: MillraceError): unknown {
  const scimType = error instanceof ScimError ? error.scimType : typesByCode[error.code];
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(error.status),
    ...(scimType !== undefined && { scimType }),
    detail: error.message,
  };
}
