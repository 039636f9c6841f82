import { XmlDocument, XmlLibError, XsdValidator, type ErrorDetail } from 'libxml2-wasm';
import { SchemaError } from './error.ts';
import { withTexts } from './input.ts';
import { moduleBase, readSchemas, type ResolveSchema, type SchemaModules, type SchemaSource } from './modules.ts';

/** Something in a document that its schema does not allow. */
export interface SchemaFinding {
  readonly message: string;
  /** XPath of the element or attribute, as far as it is known. */
  readonly path: string | undefined;
}

/** A compiled XML Schema (1.0). Dispose it when it is no longer needed; otherwise that happens when it is collected. */
export interface XmlSchema extends Disposable {
  /** What is wrong with a document given as text; nothing when it is valid. */
  validate(text: string): readonly SchemaFinding[];
}

/**
 * Compiles schemas into one grammar. Imports and includes are resolved by `resolve` only.
 *
 * @throws SchemaError naming key and line
 */
export function compileXmlSchema(sources: readonly SchemaSource[], resolve: ResolveSchema): XmlSchema {
  const modules = readSchemas(sources, resolve);
  const texts = new Map([...modules.texts].map(([name, text]) => [`${moduleBase}${name}`, text]));
  const root = modules.texts.get(modules.root) ?? '';
  const document = XmlDocument.fromString(root, { url: `${moduleBase}${modules.root}` });
  let validator: XsdValidator;
  try {
    validator = withTexts(texts, () => XsdValidator.fromDoc(document));
  } catch (error) {
    document.dispose();
    throw compileError(error, modules);
  }
  return {
    validate: (text) => findingsOf(validator, text),
    [Symbol.dispose]() {
      validator.dispose();
      document.dispose();
    },
  };
}

function findingsOf(validator: XsdValidator, text: string): readonly SchemaFinding[] {
  using document = XmlDocument.fromString(text);
  try {
    validator.validate(document);
    return [];
  } catch (error) {
    if (!(error instanceof XmlLibError)) throw error;
    return error.details.map(({ message, xpath }) => ({ message: message.trim(), path: xpath }));
  }
}

function compileError(error: unknown, { keys }: SchemaModules): unknown {
  if (!(error instanceof XmlLibError)) return error;
  const details: readonly ErrorDetail[] = error.details;
  const worst = details.find(({ level }) => level >= 2) ?? details[0];
  const missing = details.find(({ message }) => message.includes('Failed to locate a schema'));
  const texts = [missing, worst].filter((detail) => detail !== undefined);
  const shown = [...new Set(texts)].map(({ message, file, line }) => {
    const name = file?.slice(moduleBase.length) ?? '';
    const place = keys.get(name) ?? [...keys.values()].join(', ');
    return `${place}${line > 0 ? `:${line}` : ''}: ${message.trim().replaceAll(`${moduleBase}missing/`, '')}`;
  });
  return new SchemaError(shown.join('\n'), error);
}
