import { STATUS_CODES } from 'node:http';

/** The standard reason phrase of a status code, or an empty text. */
export function reasonPhrase(status: number): string {
  return STATUS_CODES[status] ?? '';
}
