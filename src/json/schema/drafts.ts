import { Ajv, type Options } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import draft6 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import Draft4 from 'ajv-draft-04';
import formats from 'ajv-formats';
import { compileJavaRegex } from '#core/java';
import { messageOf } from '#errors';

export type Draft = '04' | '06' | '07' | '2019-09' | '2020-12';

/** The draft that `$schema` names; 04 without one or with one that nobody knows, as in the original. */
export function draftOf(schema: unknown): Draft {
  const uri = typeof schema === 'object' && schema !== null && '$schema' in schema ? String(schema.$schema) : '';
  if (/draft-0?6\//.test(uri)) return '06';
  if (/draft-0?7\//.test(uri)) return '07';
  if (uri.includes('2019-09/')) return '2019-09';
  return uri.includes('2020-12/') ? '2020-12' : '04';
}

/** Patterns come from schemas, texts from clients: they run in time linear in the text where that is possible. */
function compilePattern(pattern: string): { test(text: string): boolean; toString(): string } {
  try {
    const regex = compileJavaRegex(pattern);
    // The validator tells patterns apart by their text.
    return { test: (text) => regex.find(text), toString: () => pattern };
  } catch (error) {
    throw new Error(`the pattern "${pattern}" is not supported: ${messageOf(error)}`, { cause: error });
  }
}

const options: Options = {
  allErrors: true,
  strict: false,
  verbose: true,
  logger: false,
  validateFormats: true,
  code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
};

/** A validator of a draft that knows no schema but that of the draft itself. */
export function createValidator(draft: Draft): Ajv {
  const ajv = create(draft);
  formats.default(ajv);
  return ajv;
}

function create(draft: Draft): Ajv {
  switch (draft) {
    case '04':
      return new Draft4.default(options);
    case '06': {
      const ajv = new Ajv(options);
      ajv.addMetaSchema(draft6);
      return ajv;
    }
    case '07':
      return new Ajv(options);
    case '2019-09':
      return new Ajv2019(options);
    case '2020-12':
      return new Ajv2020(options);
  }
}
