import type { ScriptProgram } from '../script/engine.ts';
import { scriptName } from './schema.ts';

/** A mapping script with the function that calls it. */
export interface MappingProgram {
  readonly program: ScriptProgram;
  /** Properties that the script reads as `DM_PROPERTIES.SCOPE['name']`. */
  readonly properties: readonly { readonly scope: string; readonly name: string }[];
}

/** The mapping function of a generated script: `map_S_<input>_S_<output>`. */
const generatedFunction = /\bmap_[SL]_(\w+?)_[SL]_(\w+)\b/;
const propertyUse = /DM_PROPERTIES\s*\.\s*([\w$]+)\s*(?:\[\s*(['"])(.*?)\2\s*\]|\.\s*([\w$]+))/g;

/** Puts a mapping script and its call together (mediators 4.7). `roots` are the titles of the schemas. */
export function mappingProgram(
  source: { readonly key: string; readonly text: string },
  roots: { readonly input: string; readonly output: string },
): MappingProgram {
  const { key, text } = source;
  const generated = generatedFunction.exec(text);
  const inputs = new Set([roots.input, generated?.[1] ?? roots.input].map((root) => `input${scriptName(root)}`));
  const output = `output${scriptName(generated?.[2] ?? roots.output)}`;
  const call = `
function millraceMap(mc, input, properties) {
  globalThis.DM_PROPERTIES = properties;
  if (typeof mapFunction === 'function') return mapFunction(input);
  ${[...inputs].map((name) => `globalThis[${JSON.stringify(name)}] = input;`).join(' ')}
  globalThis[${JSON.stringify(output)}] = {};
  const map = ${generated ? `typeof ${generated[0]} === 'function' ? ${generated[0]} : undefined` : 'undefined'};
  if (!map) throw new Error('the mapping script has neither mapFunction nor map_S_<input>_S_<output>');
  const result = map();
  return result === undefined ? globalThis[${JSON.stringify(output)}] : result;
}`;
  const properties = [...text.matchAll(propertyUse)].map(([, scope = '', , quoted, plain]) => ({
    scope,
    name: quoted ?? plain ?? '',
  }));
  const start = { line: 1, column: 1 };
  return {
    program: {
      sources: [
        { text, position: { file: key, ...start } },
        { text: call, position: { file: 'mapping', ...start } },
      ],
      traits: { file: key, inline: undefined, functionName: 'millraceMap', parsesJsonText: false },
    },
    properties,
  };
}
