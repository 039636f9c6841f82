import { masking, millrace, type Config, type Reader } from '#config';
import { messageOf, ProblemsError, type Problem } from '#errors';
import { createMasking, type Masking, type MaskingRule } from '#mediation';

/**
 * Compiles the rules of `[[millrace.masking]]` beside the built-in one (management 5.3).
 *
 * @throws ProblemsError with everything that is wrong with rules, each where it is written
 */
export function openMasking(config: Config): Masking {
  const secretNames = config.get(millrace.maskSecretNames);
  const problems: Problem[] = [];
  const rules = config.list(masking).flatMap((reader) => {
    const rule = ruleOf(reader);
    try {
      createMasking({ rules: [rule], secretNames });
      return [rule];
    } catch (error) {
      problems.push(problemOf(reader, rule, messageOf(error)));
      return [];
    }
  });
  if (problems.length > 0) throw new ProblemsError(problems);
  return createMasking({ rules, secretNames });
}

/** What is missing was refused when the file was read. */
function ruleOf(reader: Reader): MaskingRule {
  return {
    name: reader.get(masking.name) ?? '',
    kind: reader.get(masking.kind) ?? 'text',
    expression: reader.get(masking.expression) ?? '',
    namespaces: new Map(Object.entries(reader.bag(masking.namespaces))),
  };
}

function problemOf(reader: Reader, { name, kind }: MaskingRule, reason: string): Problem {
  const position = reader.position(masking.expression) ?? reader.at;
  return {
    code: 'MR_MASKING_RULE',
    severity: 'error',
    message: `The masking rule "${name}" (${kind}) cannot be used: ${reason}`,
    ...(position && { position }),
  };
}
