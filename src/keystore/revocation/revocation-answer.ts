/** What is known of a certificate. */
export interface RevocationAnswer {
  readonly status: 'good' | 'revoked';
  /** Milliseconds since the epoch until when it can be used again. */
  readonly until: number;
}
