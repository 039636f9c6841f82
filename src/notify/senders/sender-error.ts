import { RestError } from '#rest';

/** Failures of the sender API: code, status and what it is called (identity 6.5). */
const failures = {
  'UE-10000': [400, 'Invalid Request'],
  'NSM-60001': [404, 'There is no publisher of this name'],
  'NSM-60002': [409, 'A sender of this name exists already'],
  'NSM-60003': [400, 'A required attribute is missing'],
  'NSM-60004': [400, 'No body is defined for the provider'],
  'NSM-60005': [400, 'A required attribute is missing'],
  CONFIGM_00017: [404, 'There is no notification sender of this name'],
  'NSM-65001': [404, 'There are no active publishers'],
  'NSM-65003': [500, 'The sender cannot be read'],
  'NSM-65004': [500, 'The sender cannot be added'],
  'NSM-65005': [500, 'The sender cannot be deleted'],
  'NSM-65006': [500, 'The senders cannot be listed'],
  'NSM-65007': [500, 'The sender cannot be changed'],
} as const;

export type SenderErrorCode = keyof typeof failures;

/** A failure of the sender API; the description says what was expected and found. */
export function senderError(code: SenderErrorCode, description: string, cause?: unknown): RestError {
  const [status, message] = failures[code];
  return new RestError({ code, status, message, description, cause });
}
