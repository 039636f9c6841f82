import { MillraceError } from '#errors';
import type { CompileLibrary } from '../context.ts';

/** The secret of an alias, in place of the text. */
const secret = /^\s*\{wso2:vault-lookup\(\s*'([^']+)'\s*\)\}\s*$/;

const pattern = /^\s*(?:\$(SYSTEM|FILE):([^\s]+)|\$\{configs\.([^}]+)\})/;

/**
 * The value of a text that begins with `$SYSTEM:NAME` (environment), `$FILE:name` (file.properties) or
 * `${configs.name}`, or is `{wso2:vault-lookup('alias')}`: the resolved value takes the place of the whole text. Any
 * other text is given back as it is (runtime-core 5.2).
 *
 * @throws MillraceError `MR_DEPLOY_VALUE` for a name that has no value
 */
export function resolveDeployValue(text: string, library: CompileLibrary): string {
  const alias = secret.exec(text)?.[1];
  if (alias !== undefined) return secretOf(alias, library);
  const match = pattern.exec(text);
  if (!match) return text;
  const [, kind, name = '', configurable] = match;
  const value =
    configurable === undefined
      ? library.external(kind === 'FILE' ? 'file' : 'env', name)
      : library.configuration(configurable);
  if (value !== undefined) return value;
  throw new MillraceError({ code: 'MR_DEPLOY_VALUE', message: `There is no value for ${match[0].trim()}` });
}

function secretOf(alias: string, library: CompileLibrary): string {
  const value = library.secret(alias);
  if (value !== undefined) return value;
  throw new MillraceError({ code: 'MR_DEPLOY_VALUE', message: `There is no secret "${alias}"` });
}
