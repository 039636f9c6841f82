import type { GuestXml } from './guest-xml.ts';
import type { Ask, Call, Carried, RunInput, RunOutput, ScriptTraits } from './protocol.ts';

/**
 * Makes what scripts see: `mc` with the calls of mediators 4.8, `print`, and stand-ins for Java that say that there is
 * none. It runs inside of the isolate: its text is what is loaded there, so it refers to nothing outside of itself.
 *
 * Changes are collected and handed over with the next question to the message or at the end; answers are kept until a
 * change makes them doubtful. So most runs need no question at all: what the run before asked is known from the start.
 *
 * @returns the function that runs the script once, from `RunInput` to `RunOutput`, both as JSON
 */
export function installGuest(ask: Ask, xml: GuestXml, traits: ScriptTraits): (input: string) => string {
  const { parse, stringify } = JSON;
  let changes: Call[] = [];
  let asked = new Set<string>();
  let known = new Map<string, Carried>();

  const textOf = (value: unknown): string => String(value);
  const open = (carried: Carried | undefined): unknown => {
    if (carried === null || typeof carried !== 'object') return carried ?? null;
    if (carried.form === 'tree') return xml.read(carried.tree);
    return carried.form === 'json' ? parse(carried.text) : carried.text;
  };

  const pack = (value: unknown): Carried => {
    if (value === undefined || value === null) return null;
    if (typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
    if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function') return String(value);
    if (xml.isElement(value)) return { form: 'markup', text: textOf(value) };
    const json = stringify(value) as string | undefined;
    return json === undefined ? null : { form: 'json', text: json };
  };

  const question = (...call: Call): unknown => {
    const text = stringify(call);
    asked.add(text);
    if (!known.has(text)) {
      const pending = stringify(changes);
      changes = [];
      const answer = parse(ask(pending, text)) as { value?: Carried; error?: string };
      if (answer.error !== undefined) throw new Error(answer.error);
      known.set(text, answer.value ?? null);
    }
    return open(known.get(text));
  };

  /** Forgets answers to questions of these names. */
  const forget = (...names: readonly string[]): void => {
    for (const text of known.keys()) if (names.some((name) => text.startsWith(`["${name}"`))) known.delete(text);
  };
  const payloadQuestions = ['json', 'jsonText', 'text', 'xml', 'envelope', 'flag', 'xpath'];
  const changePayload = (...call: Call): void => {
    changes.push(call);
    forget(...payloadQuestions);
  };
  /** A change that the message may refuse: it is made at once, so that the script can catch the error. */
  const changeNow = (...call: Call): void => {
    const text = stringify(call);
    known.delete(text);
    question(...call);
    asked.delete(text);
    known.delete(text);
    forget(...payloadQuestions);
  };
  const changeProperty = (scope: string, name: string, value: Carried): void => {
    if (value === null) changes.push(['removeProperty', scope, name]);
    else changes.push(['setProperty', scope, name, value]);
    forget('property', 'propertyNames', 'flag', 'address', 'xpath');
  };
  const changeVariable = (...call: Call): void => {
    changes.push(call);
    forget('variable', 'variableNames', 'xpath');
  };
  const changeOther = (...call: Call): void => {
    changes.push(call);
    forget('address', 'flag', 'property', 'xpath');
  };

  const nameOrNull = (value: unknown): string | null => (value === null || value === undefined ? null : textOf(value));
  const address = (value: unknown): unknown =>
    typeof value === 'string'
      ? Object.freeze({ address: value, getAddress: () => value, toString: () => value, toJSON: () => value })
      : null;
  const markupOf = (value: unknown): string => {
    if (value === null || value === undefined) throw new TypeError('XML was expected, found nothing');
    return textOf(value);
  };
  const artifact = (kind: string, name: unknown): unknown =>
    question('hasArtifact', kind, textOf(name)) === true
      ? Object.freeze({ name, getName: () => name, toString: () => textOf(name) })
      : null;

  const logLine = (level: string, message: unknown, error: unknown): void => {
    const text = error === undefined ? textOf(message) : `${textOf(message)}: ${textOf(error)}`;
    changes.push(['log', level, text]);
  };
  const serviceLog: Record<string, unknown> = {};
  for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal']) {
    serviceLog[level] = (message: unknown, error: unknown) => logLine(level, message, error);
    serviceLog[`is${level.charAt(0).toUpperCase()}${level.slice(1)}Enabled`] = () => true;
  }
  Object.freeze(serviceLog);

  const mc: Record<string, unknown> = {
    getPayloadJSON: () => question('json'),
    setPayloadJSON(payload: unknown) {
      const isText = typeof payload === 'string' && traits.parsesJsonText;
      if (isText) parse(payload);
      const text: string | undefined = isText ? payload : stringify(payload);
      changePayload('setJson', text ?? 'null');
    },
    getJsonText: () => question('jsonText'),
    getPayloadText: () => question('text'),
    getPayloadXML: () => question('xml'),
    setPayloadXML: (payload: unknown) => changeNow('setXml', markupOf(payload)),
    getEnvelopeXML: () => question('envelope'),
    getEnvelope: () => question('envelope'),
    setEnvelope: (envelope: unknown) => changeNow('setEnvelope', markupOf(envelope)),
    addHeader: (mustUnderstand: unknown, content: unknown) =>
      changeNow('addHeader', mustUnderstand === true, markupOf(content)),
    getProperty: (name: unknown, scope?: unknown) => question('property', nameOrNull(scope) ?? 'default', textOf(name)),
    setProperty: (name: unknown, value: unknown, scope?: unknown) =>
      changeProperty(nameOrNull(scope) ?? 'default', textOf(name), pack(value)),
    removeProperty: (name: unknown, scope?: unknown) =>
      changeProperty(nameOrNull(scope) ?? 'default', textOf(name), null),
    getPropertyKeySet: () => question('propertyNames'),
    getVariable: (name: unknown) => question('variable', textOf(name)),
    setVariable: (name: unknown, value: unknown) => changeVariable('setVariable', textOf(name), pack(value)),
    removeVariable: (name: unknown) => changeVariable('removeVariable', textOf(name)),
    getVariableKeySet: () => question('variableNames'),
    getEntry: (key: unknown) => question('entry', textOf(key)),
    getLocalEntry: (key: unknown) => question('entry', textOf(key)),
    getSequence: (key: unknown) => artifact('sequence', key),
    getMainSequence: () => artifact('sequence', 'main'),
    getFaultSequence: () => artifact('sequence', 'fault'),
    getEndpoint: (key: unknown) => artifact('endpoint', key),
    getSequenceTemplate: (key: unknown) => artifact('template', key),
    getContextEntries: () => ({}),
    getEnvironment: () => Object.freeze({}),
    getServiceLog: () => serviceLog,
    getTracingState: () => question('tracingState'),
    setTracingState(state: unknown) {
      changes.push(['setTracingState', Number(state)]);
      forget('tracingState');
    },
    getFaultStack: () => [],
    parseXml: (text: unknown) => question('parseXml', textOf(text)),
    getXpathResult: (expression: unknown) => question('xpath', textOf(expression)),
  };
  for (const name of ['To', 'From', 'ReplyTo', 'FaultTo']) {
    mc[`get${name}`] = () => address(question('address', name));
    mc[`set${name}`] = (value: unknown) => changeOther('setAddress', name, nameOrNull(value));
  }
  for (const name of ['MessageID', 'SoapAction', 'WSAAction', 'WSAMessageID', 'RelatesTo']) {
    mc[`get${name}`] = () => question('address', name);
    mc[`set${name}`] = (value: unknown) => changeOther('setAddress', name, nameOrNull(value));
  }
  for (const name of ['Response', 'FaultResponse', 'DoingPOX', 'DoingGET', 'DoingMTOM', 'DoingSWA', 'SOAP11']) {
    mc[`is${name}`] = () => question('flag', name);
    if (name !== 'SOAP11') mc[`set${name}`] = (value: unknown) => changeOther('setFlag', name, value === true);
  }
  mc['getConfiguration'] = () => mc;
  Object.freeze(mc);

  /** A stand-in for a Java package or class: it may be named, and says what is missing once it is used. */
  const javaStandIn = (name: string): unknown => {
    const fail = (): never => {
      throw new Error(`${name} is a Java class; scripts can only use what the language has and mc`);
    };
    // A function that is not an arrow can be called with `new`.
    return new Proxy(function () {}, {
      get: (_, member) => (typeof member === 'symbol' ? fail() : javaStandIn(`${name}.${member}`)),
      apply: fail,
      construct: fail,
    });
  };
  const print = (...parts: unknown[]): void => logLine('info', parts.map(textOf).join(' '), undefined);
  // Memory that is shared or grows outside of the isolate's limit.
  for (const name of ['WebAssembly', 'SharedArrayBuffer', 'Atomics']) Reflect.deleteProperty(globalThis, name);
  const globals: Record<string, unknown> = {
    print,
    console: { log: print, info: print, debug: print, warn: print, error: print },
    Java: Object.freeze({
      type: (name: unknown) => javaStandIn(textOf(name)),
      from: (list: Iterable<unknown>) => [...list],
      to: (list: unknown) => list,
    }),
    importClass: (...classes: unknown[]) => void classes,
    importPackage: (...packages: unknown[]) => void packages,
  };
  for (const name of ['java', 'javax', 'org', 'com', 'Packages']) {
    globals[name] =
      name === 'Packages' ? new Proxy({}, { get: (_, member) => javaStandIn(String(member)) }) : javaStandIn(name);
  }
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  }

  // Indirect, so that scripts see globals and `mc` only. The inner one is direct: it gives the value of the last
  // statement, and keeps `var` and `let` within one run.
  // oxlint-disable-next-line no-eval -- this is the isolate, and the text is the script
  const evaluate = eval;
  const runInline = evaluate('(function (mc) { return eval(arguments[1]); })') as (
    mc: unknown,
    text: string,
  ) => unknown;
  const names = new Set(Reflect.ownKeys(globalThis));
  const forgetNewGlobals = (): void => {
    const now = Reflect.ownKeys(globalThis);
    if (now.length === names.size) return;
    for (const name of now) if (!names.has(name)) Reflect.deleteProperty(globalThis, name);
  };

  let target: ((...args: unknown[]) => unknown) | undefined;
  const findTarget = (): ((...args: unknown[]) => unknown) => {
    const { functionName } = traits;
    const found = evaluate(`typeof ${functionName} === 'function' ? ${functionName} : undefined`) as typeof target;
    if (!found) throw new Error(`the script has no function ${functionName}`);
    return found;
  };

  const describe = (thrown: unknown): { text: string; stack: string } => {
    try {
      const stack = thrown instanceof Error ? String(thrown.stack) : '';
      return { text: String(thrown), stack };
    } catch {
      return { text: 'the script threw something that has no text', stack: '' };
    }
  };

  return (input) => {
    const { known: answers, args } = parse(input) as RunInput;
    changes = [];
    asked = new Set();
    known = new Map(Object.entries(answers));
    let output: RunOutput;
    try {
      if (traits.inline === undefined) target ??= findTarget();
      const result =
        traits.inline === undefined ? target?.(mc, ...args.map(open)) : runInline.call(globalThis, mc, traits.inline);
      output = { changes, asked: [...asked], value: pack(result) };
    } catch (error) {
      output = { changes, asked: [...asked], failure: describe(error) };
    } finally {
      if (traits.inline !== undefined) forgetNewGlobals();
    }
    return stringify(output);
  };
}
