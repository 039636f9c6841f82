import { createHash } from 'node:crypto';
import { DeadlineError, getLogger, withDeadline } from '#core';
import { failureOf, resultOf } from './answer.ts';
import { compileOnce, findCompiler } from './compile-once.ts';
import { TransformError } from './error.ts';
import { readModules, type ResolveImport, type StylesheetModules, type StylesheetSource } from './modules.ts';
import { createSandbox, type Sandbox } from './sandbox.ts';
import { transformInWorker, type Definition } from './worker-pool.ts';

/** A stylesheet ready to transform. */
export interface Stylesheet {
  /** True when the result is plain text, not XML. */
  readonly producesText: boolean;
  /**
   * Transforms the text of a document; parameters are untyped texts by name. There is a promise where a worker does it
   * or the stylesheet is still being compiled.
   *
   * @throws TransformError naming the stylesheet's key
   */
  transform(source: string, parameters: Readonly<Record<string, string>>): string | Promise<string>;
}

/** How long transformations may take, and which of them a worker does. */
export interface TransformLimits {
  /** Characters of a source from which a worker transforms it: more would hold up other messages for too long. */
  readonly inlineSize: number;
  /** Milliseconds that a transformation may hold up other messages; what takes longer goes to a worker. */
  readonly inlineTime: number;
  /** Milliseconds after which a worker is stopped: a quarter of the time that a client usually waits. */
  readonly workerTime: number;
}

const usualLimits: TransformLimits = { inlineSize: 100_000, inlineTime: 1000, workerTime: 30_000 };
/** Stylesheets that stay compiled. */
const maxKnown = 200;

const log = getLogger('xslt');
const known = new Map<string, CompiledStylesheet>();
let sandbox: Sandbox | undefined;
let isAdvised = false;

/**
 * Reads a stylesheet, or finds the compiled one of the same texts. What is wrong inside of it shows with the first
 * transformation, as in the original; only what cannot be read is refused here.
 *
 * @throws TransformError naming key and line
 */
export function openStylesheet(
  source: StylesheetSource,
  resolve: ResolveImport,
  limits: TransformLimits = usualLimits,
): Stylesheet {
  const modules = readModules(source, resolve);
  const id = createHash('sha256')
    .update(JSON.stringify([source.key, modules.main, modules.imported, limits]))
    .digest('base64');
  let stylesheet = known.get(id);
  known.delete(id);
  stylesheet ??= new CompiledStylesheet(id, modules, limits);
  known.set(id, stylesheet);
  if (known.size > maxKnown) forgetOldest();
  return stylesheet;
}

function forgetOldest(): void {
  const [oldest] = known.keys();
  if (oldest === undefined) return;
  known.get(oldest)?.forget();
  known.delete(oldest);
  sandbox?.release(oldest);
}

class CompiledStylesheet implements Stylesheet {
  readonly #id: string;
  readonly #modules: StylesheetModules;
  readonly #limits: TransformLimits;
  #definition: Definition | undefined;
  #compiling: Promise<Definition> | undefined;
  /** The sandbox that knows the definition. */
  #definedIn: Sandbox | undefined;
  #isSlow = false;

  constructor(id: string, modules: StylesheetModules, limits: TransformLimits) {
    this.#id = id;
    this.#modules = modules;
    this.#limits = limits;
  }

  get producesText(): boolean {
    return this.#modules.producesText;
  }

  /** Called when the engine gives the stylesheet up; who still holds it has it compiled again. */
  forget(): void {
    this.#definedIn = undefined;
  }

  transform(source: string, parameters: Readonly<Record<string, string>>): string | Promise<string> {
    const text = JSON.stringify(parameters);
    const definition = this.#definition;
    return definition ? this.#run(definition, source, text) : this.#compileAndRun(source, text);
  }

  #compileAndRun(source: string, parameters: string): string | Promise<string> {
    const { main, imported } = this.#modules;
    const compiler = findCompiler();
    if (compiler === undefined) {
      adviseCompiler();
      this.#definition = { id: this.#id, form: 'source', text: main, modules: JSON.stringify(imported) };
      return this.#run(this.#definition, source, parameters);
    }
    this.#compiling ??= this.#compile(compiler);
    return this.#compiling.then((definition) => this.#run(definition, source, parameters));
  }

  /** What fails stays failed: the same text would fail again. */
  async #compile(compiler: string): Promise<Definition> {
    const { main, imported } = this.#modules;
    try {
      const text = await compileOnce(this.#modules, compiler);
      const modules = JSON.stringify({ ...imported, 'main.xsl': main });
      this.#definition = { id: this.#id, form: 'compiled', text, modules };
      return this.#definition;
    } catch (error) {
      throw error instanceof TransformError ? failureOf({ message: error.message }, this.#modules) : error;
    }
  }

  #run(definition: Definition, source: string, parameters: string): string | Promise<string> {
    if (this.#isSlow || source.length > this.#limits.inlineSize)
      return this.#runInWorker(definition, source, parameters);
    const engine = this.#engine(definition);
    try {
      const method = this.producesText ? 'text' : 'xml';
      const answer = withDeadline(this.#limits.inlineTime, () => engine.run(definition.id, source, parameters, method));
      return resultOf(answer, this.#modules);
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
      sandbox = undefined;
      this.#isSlow = true;
      const key = this.#modules.keys.get('main.xsl');
      log.warn(
        { stylesheet: key, milliseconds: this.#limits.inlineTime },
        'a stylesheet is slow; workers run it from now on',
      );
      return this.#runInWorker(definition, source, parameters);
    }
  }

  async #runInWorker(definition: Definition, source: string, parameters: string): Promise<string> {
    const method = this.producesText ? 'text' : 'xml';
    try {
      const answer = await transformInWorker({ definition, source, parameters, method }, this.#limits.workerTime);
      return resultOf(answer, this.#modules);
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
      const key = this.#modules.keys.get('main.xsl') ?? '';
      throw new TransformError(`${key}: the transformation was ${error.message}`, undefined, error);
    }
  }

  #engine(definition: Definition): Sandbox {
    sandbox ??= createSandbox();
    if (this.#definedIn !== sandbox) {
      sandbox.define(definition.id, definition.form, definition.text, definition.modules);
      this.#definedIn = sandbox;
    }
    return sandbox;
  }
}

function adviseCompiler(): void {
  if (isAdvised) return;
  isAdvised = true;
  log.warn({}, 'the package xslt3 is not installed: stylesheets are compiled again for each message');
}
