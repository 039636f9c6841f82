import { excerptOf, messageOf, synapseCodes } from '#errors';
import type { Message } from '#message';
import { appendChild, XmlText, type SourceNode } from '#xml';
import { libraryOf, type CompileContext, type ParseContext } from '../context.ts';
import { Fault } from '../fault.ts';
import { CONTINUE, STOP, type Flow } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { declareNamespaces, readValue, synapseElement, type ValueSource } from '../reading.ts';
import { padded, placeIn } from '../script/engine.ts';
import { carry, unpack, type ScriptHost } from '../script/host.ts';
import { createScriptPool, type ScriptPool } from '../script/pool.ts';
import { defaultScriptSettings } from '../script/settings.ts';
import { checkScript, describeProblem, inlineSource, type ScriptSource } from '../script/source.ts';
import { evaluateArguments, readArguments, serializeArguments, type Argument } from '../shared/arguments.ts';
import { resourceText } from '../shared/resource-cache.ts';
import { readResultTarget, storeResult, type ResultTarget } from '../shared/result-target.ts';

interface Definition {
  readonly language: string;
  readonly key: ValueSource | undefined;
  readonly functionName: string | undefined;
  readonly includes: readonly (ValueSource | undefined)[];
  readonly inline: ScriptSource;
  readonly target: ResultTarget | undefined;
  readonly inputs: readonly Argument[] | undefined;
}

/** What a language of scripts is run as; those without an entry are no languages of the original. */
const languages: Readonly<Record<string, { readonly runs: boolean; readonly parsesJsonText?: boolean }>> = {
  js: { runs: true },
  graalJs: { runs: true },
  nashornJs: { runs: true, parsesJsonText: true },
  rhinoJs: { runs: true, parsesJsonText: true },
  javascript: { runs: true },
  groovy: { runs: false },
  rb: { runs: false },
  ruby: { runs: false },
  py: { runs: false },
  python: { runs: false },
};

/** `<script>`: JavaScript of the artifact or the registry acts on the message, in an isolate (mediators 4.8). */
export const script = defineMediator<Definition>({
  element: 'script',
  attributes: ['language', 'key', 'function', 'target', 'target-variable'],
  children: ['include', 'inputs'],
  needsBody: () => true,
  parse(node, context) {
    const key = readKey(node, context);
    const functionName = node.attribute('function');
    const inline = inlineSource(node);
    const language = readLanguage(node);
    if (functionName !== undefined && node.attribute('key') === undefined) {
      node.error('"function" needs a "key": a function is called in a script of the registry', {
        attribute: 'function',
        code: 'MR_ARTIFACT_ATTRIBUTE',
      });
    }
    if (
      functionName !== undefined &&
      !/^[\p{ID_Start}$_][\p{ID_Continue}$]*(?:\.[\p{ID_Start}$_][\p{ID_Continue}$]*)*$/u.test(functionName)
    ) {
      node.error(`"function" must be the name of a function, found "${functionName}"`, { attribute: 'function' });
    }
    if (key === undefined && inline.text.trim() === '') {
      node.error('<script> needs a "key" or a script in it', { code: 'MR_SCRIPT_MISSING' });
    }
    if (key === undefined && languages[language]?.runs === true) reportProblem(node, inline);
    const includes = node.childrenNamed('include').map((child) => {
      child.required('key');
      return readKey(child, context);
    });
    return {
      language,
      key,
      functionName,
      includes,
      inline,
      target: readResultTarget(node),
      inputs: readArguments(node),
    };
  },
  serialize({ language, key, functionName, includes, inline, target, inputs }) {
    const element = synapseElement('script', {
      language,
      key: key?.text,
      function: functionName,
      target: target?.target,
      'target-variable': target?.variable,
    });
    for (const include of includes) {
      appendChild(element, declareNamespaces(synapseElement('include', { key: include?.text }), [include]));
    }
    serializeArguments(element, inputs);
    if (inline.text.trim() !== '') appendChild(element, new XmlText(inline.text, !inline.text.includes(']]>')));
    return declareNamespaces(element, [key]);
  },
  compile: compileScript,
});

function readKey(node: SourceNode, context: ParseContext): ValueSource | undefined {
  const key = readValue(node, 'key');
  if (key?.value.literal !== undefined) {
    context.refer({ kind: 'resource', key: key.value.literal, node, attribute: 'key' });
  }
  return key;
}

function readLanguage(node: SourceNode): string {
  const language = node.required('language');
  if (language === '' || languages[language]?.runs === true) return language;
  const known = Object.keys(languages).filter((name) => languages[name]?.runs);
  const expected = `expected JavaScript: one of ${known.join(', ')}`;
  const message = Object.hasOwn(languages, language)
    ? `scripts in "${language}" are not supported, since they need a Java runtime; ${expected}`
    : `there is no script language "${language}"; ${expected}`;
  node.error(message, { attribute: 'language', code: 'MR_SCRIPT_LANGUAGE' });
  return language;
}

/** Shows what does not compile where it stands in the artifact. */
function reportProblem(node: SourceNode, source: ScriptSource): void {
  const problem = checkScript(source);
  if (!problem) return;
  const { message, position } = problem;
  const excerpt = excerptOf(node.document.source, position.line);
  node.report({ code: 'MR_SCRIPT_SYNTAX', severity: 'error', message, position, excerpt });
}

function compileScript(definition: Definition, context: CompileContext): Compiled {
  const { language, key, functionName, includes, inline, target, inputs } = definition;
  const { library, services } = context;
  const { clock, log, settings } = services;
  const scripts = settings.scripts ?? defaultScriptSettings;
  const behaviour = language === 'js' && scripts.usesRhino ? 'rhinoJs' : language;
  const traits = {
    file: inline.position.file,
    inline: key === undefined ? padded(inline) : undefined,
    functionName: functionName ?? 'mediate',
    parsesJsonText: languages[behaviour]?.parsesJsonText === true,
  };
  for (const each of [key, ...includes]) checkResource(each?.value.literal, context);

  const keysFor = (message: Message): readonly string[] =>
    [...includes, key].flatMap((each) => each?.value.evaluate(message) ?? []);
  const pools = new Map<string, { readonly texts: readonly string[]; readonly pool: ScriptPool }>();

  /** The pool for the texts as they are now: a script that was changed in the registry begins anew. */
  const poolFor = (message: Message): ScriptPool => {
    const keys = keysFor(message);
    const texts = keys.map((each) => resourceText(message, each));
    const name = keys.join('\n');
    const known = pools.get(name);
    if (known && known.texts.every((text, index) => text === texts[index])) return known.pool;
    const sources = keys.map((file, index) => ({
      text: texts[index] ?? '',
      position: { file, line: 1, column: 1 },
    }));
    for (const source of sources) refuseBroken(source);
    known?.pool.dispose();
    const pool = createScriptPool({ sources, traits }, scripts, clock);
    pools.set(name, { texts, pool });
    return pool;
  };

  library.lifecycle.add({
    id: context.id,
    stop() {
      for (const { pool } of pools.values()) pool.dispose();
      pools.clear();
    },
  });

  const failed = (text: string, key: string | undefined, detail?: string): Fault => {
    const what = key === undefined ? `inlined ${language} script` : `external ${language} script : ${key}`;
    const message = `The script engine returned an error executing the ${what} function ${traits.functionName}: ${text}`;
    return new Fault({ code: synapseCodes.mediation, message, detail });
  };

  return async (message): Promise<Flow> => {
    const host: ScriptHost = { message, library: libraryOf(message), log, at: context.id };
    const name = key?.value.evaluate(message);
    const args = evaluateArguments(inputs, message).map(carry);
    const pool = poolFor(message);
    const output = await pool.run(host, args).catch((error: unknown) => {
      throw failed(messageOf(error), name);
    });
    if (output.failure) {
      const { text, stack } = output.failure;
      throw failed(`${text}${placeIn(stack, pool.program)}`, name, stack === '' ? undefined : stack);
    }
    if (target && target.target !== 'none') {
      storeResult(message, target, unpack(output.value));
      return CONTINUE;
    }
    return output.value === false ? STOP : CONTINUE;
  };
}

/** A script that is there at deployment is compiled then; a key that does not exist fails the message. */
function checkResource(key: string | undefined, { library }: CompileContext): void {
  const text = key === undefined ? undefined : library.resource(key);
  if (key !== undefined && text !== undefined) refuseBroken({ text, position: { file: key, line: 1, column: 1 } });
}

/** @throws Fault for a script that does not compile */
function refuseBroken(source: ScriptSource): void {
  const problem = checkScript(source);
  if (problem) throw new Fault({ code: synapseCodes.mediation, message: describeProblem(problem) });
}
