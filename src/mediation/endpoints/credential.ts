import { compileValue } from '#expression';
import type { Message } from '#message';
import type { SourceNode } from '#xml';
import type { CompileContext } from '../context.ts';
import { valueSource } from '../reading.ts';
import { resolveDeployValue } from '../shared/deploy-value.ts';

/** A text of an authentication block, literal or `{expression}`. */
export interface Credential {
  readonly contentAware: boolean;
  /** Its value for a message, after what is named at deployment has been filled in (runtime-core 5.2). */
  compile(context: CompileContext): (message: Message) => string;
}

/** Reads the text of a child; undefined when it is absent or empty, which is an error when it is required. */
export function readCredential(block: SourceNode, local: string, isRequired: boolean): Credential | undefined {
  const node = block.child(local);
  if (node && node.text() !== '') return credentialOf(node);
  if (isRequired) block.error(`<${block.local}> needs a <${local}>`, { code: 'MR_ARTIFACT_CHILD' });
  return undefined;
}

/** The text of an element as a credential; undefined when its expression is wrong. */
export function credentialOf(node: SourceNode): Credential | undefined {
  const source = valueSource(node, node.text());
  if (!source) return undefined;
  const { text, namespaces, value } = source;
  return {
    contentAware: value.contentAware,
    compile(context) {
      const resolved = resolveDeployValue(text, context.library);
      const used = resolved === text ? value : compileValue(resolved, { namespaces });
      return (message) => used.evaluate(message) ?? '';
    },
  };
}
