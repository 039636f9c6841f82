import { getLogger } from '#core';
import { formatProblem, MillraceError, ProblemsError } from '#errors';
import { SourceNode } from '#xml';
import type { CompileLibrary } from '../context.ts';

const log = getLogger('mediation.deploy');

/** The secret of an alias, in place of the text. */
const secret = /^\s*\{wso2:vault-lookup\(\s*'([^']+)'\s*\)\}\s*$/;

const pattern = /^\s*(?:\$(SYSTEM|FILE|CUSTOM_[^:\s]+):([^\s]+)|\$\{configs\.([^}]+)\})/;

/** True for a text that stands for a value which is known only when the artifact is deployed. */
export function isDeployValue(text: string | undefined): boolean {
  return text !== undefined && (pattern.test(text) || secret.test(text));
}

/**
 * The value of a text that begins with `$SYSTEM:NAME` (environment), `$FILE:name` (file.properties) or
 * `${configs.name}`, or is `{wso2:vault-lookup('alias')}`: the resolved value takes the place of the whole text. Any
 * other text is given back as it is (runtime-core 5.2). `$CUSTOM_name:x` asks a resolver written in Java, which cannot
 * run here, so it has no value.
 *
 * @throws MillraceError `MR_DEPLOY_VALUE` for a name that has no value
 */
export function resolveDeployValue(text: string, library: CompileLibrary): string {
  const alias = secret.exec(text)?.[1];
  if (alias !== undefined) return secretOf(alias, library);
  const match = pattern.exec(text);
  if (!match) return text;
  const [found, kind, name = '', configurable] = match;
  if (kind?.startsWith('CUSTOM_')) {
    const message = `There is no value for ${found.trim()}: resolvers written in Java cannot run here`;
    throw new MillraceError({ code: 'MR_DEPLOY_VALUE', message });
  }
  const value =
    configurable === undefined
      ? library.external(kind === 'FILE' ? 'file' : 'env', name)
      : library.configuration(configurable);
  if (value !== undefined) return value;
  throw new MillraceError({ code: 'MR_DEPLOY_VALUE', message: `There is no value for ${found.trim()}` });
}

/**
 * A node that is read again when its artifact is deployed: an error is thrown, and a warning goes to the log unless its
 * value is as it was `checked` before.
 */
export function deployNode({ document, element }: SourceNode, value: 'checked' | 'new' = 'new'): SourceNode {
  return new SourceNode(document, element, (problem) => {
    if (problem.severity === 'error') throw new ProblemsError([problem]);
    if (value === 'new') log.warn({ problem: formatProblem(problem) }, 'a value of the deployment means nothing');
  });
}

function secretOf(alias: string, library: CompileLibrary): string {
  const value = library.secret(alias);
  if (value !== undefined) return value;
  throw new MillraceError({ code: 'MR_DEPLOY_VALUE', message: `There is no secret "${alias}"` });
}
