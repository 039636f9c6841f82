import { MillraceError } from '#errors';

/** JSON that is malformed or beyond the limits; line and column count from 1. */
export class JsonError extends MillraceError {
  readonly line: number;
  readonly column: number;

  constructor(reason: string, text: string, offset: number) {
    const before = text.slice(0, offset);
    const line = before.split('\n').length;
    const column = offset - before.lastIndexOf('\n');
    super({ code: 'MR_JSON_MALFORMED', status: 400, message: `${reason} at line ${line}, column ${column}` });
    this.line = line;
    this.column = column;
  }
}

/** JSON that cannot become XML, or XML that cannot become JSON: names and structures that the other side lacks. */
export class JsonMappingError extends MillraceError {
  constructor(message: string) {
    super({ code: 'MR_JSON_MAPPING', status: 400, message });
  }
}
