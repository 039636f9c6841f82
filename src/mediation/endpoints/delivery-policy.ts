import { appendChild, type SourceNode, type XmlElement } from '#xml';
import { declareNamespaces, expressionSource, synapseElement, textElement, type ExpressionSource } from '../reading.ts';

/** Timeout, suspension and retry settings that leaf endpoints share (runtime-core 5.4). */
export interface DeliveryPolicy {
  readonly timeout: { readonly milliseconds: number } | { readonly expression: ExpressionSource } | undefined;
  readonly timeoutAction: 'discard' | 'fault' | undefined;
  readonly mark: {
    readonly errorCodes: readonly number[];
    readonly retriesBeforeSuspension: number;
    readonly retryDelay: number;
  };
  readonly suspend: {
    /** Empty means every error. */
    readonly errorCodes: readonly number[];
    /** Milliseconds; undefined takes the default of the configuration. */
    readonly initialDuration: number | undefined;
    readonly progressionFactor: number | undefined;
    readonly maximumDuration: number;
    /** The first duration in seconds, in the older spelling; it is the initial duration where that is absent. */
    readonly seconds: number | undefined;
  };
  readonly retry: { readonly enabled: readonly number[]; readonly disabled: readonly number[] };
}

/** Reads the policy elements below an address, http, wsdl or default element. */
export function readDeliveryPolicy(node: SourceNode): DeliveryPolicy {
  const timeout = node.child('timeout');
  const mark = node.child('markForSuspension');
  const suspend = node.child('suspendOnFailure');
  const retry = node.child('retryConfig') ?? node.child('retry');
  const legacy = node.child('suspendDurationOnFailure');
  return {
    timeout: readDuration(timeout),
    timeoutAction: readAction(timeout),
    mark: {
      errorCodes: codes(mark?.child('errorCodes')),
      retriesBeforeSuspension: whole(mark?.child('retriesBeforeSuspension')) ?? 0,
      retryDelay: whole(mark?.child('retryDelay')) ?? 0,
    },
    suspend: {
      errorCodes: codes(suspend?.child('errorCodes')),
      initialDuration: whole(suspend?.child('initialDuration'), -1),
      progressionFactor: factor(suspend?.child('progressionFactor')),
      maximumDuration: whole(suspend?.child('maximumDuration')) ?? Number.MAX_SAFE_INTEGER,
      seconds: whole(legacy),
    },
    retry: { enabled: codes(retry?.child('enabledErrorCodes')), disabled: codes(retry?.child('disabledErrorCodes')) },
  };
}

/** Writes the policy back into the kind's element. */
export function serializeDeliveryPolicy(element: XmlElement, policy: DeliveryPolicy): XmlElement {
  const { timeout, timeoutAction, mark, suspend, retry } = policy;
  const list = (local: string, values: readonly number[]): XmlElement | undefined =>
    values.length === 0 ? undefined : textElement(local, values.join(','));
  const value = (local: string, amount: number | undefined): XmlElement | undefined =>
    amount === undefined ? undefined : textElement(local, String(amount));
  if (timeout || timeoutAction) {
    appendChild(
      element,
      synapseElement('timeout', {}, [
        timeout && serializeDuration(timeout),
        timeoutAction && textElement('responseAction', timeoutAction),
      ]),
    );
  }
  const group = (local: string, parts: readonly (XmlElement | undefined)[]): void => {
    if (parts.some((part) => part)) appendChild(element, synapseElement(local, {}, parts));
  };
  const finite = suspend.maximumDuration === Number.MAX_SAFE_INTEGER ? undefined : suspend.maximumDuration;
  group('suspendOnFailure', [
    list('errorCodes', suspend.errorCodes),
    value('initialDuration', suspend.initialDuration),
    value('progressionFactor', suspend.progressionFactor),
    value('maximumDuration', finite),
  ]);
  const older = value('suspendDurationOnFailure', suspend.seconds);
  if (older) appendChild(element, older);
  group('markForSuspension', [
    list('errorCodes', mark.errorCodes),
    value('retriesBeforeSuspension', mark.retriesBeforeSuspension || undefined),
    value('retryDelay', mark.retryDelay || undefined),
  ]);
  group('retryConfig', [list('enabledErrorCodes', retry.enabled), list('disabledErrorCodes', retry.disabled)]);
  return element;
}

function serializeDuration(timeout: NonNullable<DeliveryPolicy['timeout']>): XmlElement {
  if ('milliseconds' in timeout) return textElement('duration', String(timeout.milliseconds));
  return declareNamespaces(textElement('duration', `{${timeout.expression.text}}`), [timeout.expression]);
}

function readDuration(timeout: SourceNode | undefined): DeliveryPolicy['timeout'] {
  const node = timeout?.child('duration');
  const text = node?.text() ?? '';
  if (!node || text === '') return undefined;
  if (text.startsWith('{') && text.endsWith('}')) {
    const expression = expressionSource(node, text.slice(1, -1));
    return expression && { expression };
  }
  const milliseconds = whole(node);
  return milliseconds === undefined ? undefined : { milliseconds };
}

function readAction(timeout: SourceNode | undefined): DeliveryPolicy['timeoutAction'] {
  const node = timeout?.child('responseAction') ?? timeout?.child('action');
  const text = node?.text().toLowerCase();
  if (node === undefined || text === '' || text === undefined) return undefined;
  if (text === 'discard' || text === 'fault') return text;
  node.error(`the action on a timeout must be discard or fault, found "${text}"`);
  return undefined;
}

/** Codes separated by commas or blanks. */
function codes(node: SourceNode | undefined): number[] {
  if (!node) return [];
  const words = node
    .text()
    .split(/[\s,]+/)
    .filter((word) => word !== '');
  return words.flatMap((word) => {
    if (/^-?\d+$/.test(word)) return [Number(word)];
    node.error(`an error code must be a number, found "${word}"`);
    return [];
  });
}

/** How a number is written. */
interface NumberForm {
  readonly pattern: RegExp;
  readonly words: string;
}

const wholeNumber: NumberForm = { pattern: /^[+-]?\d{1,15}$/, words: 'a whole number' };
const decimal: NumberForm = { pattern: /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/, words: 'a number' };

function factor(node: SourceNode | undefined): number | undefined {
  return readNumber(node, decimal, 0);
}

function whole(node: SourceNode | undefined, least = 0): number | undefined {
  return readNumber(node, wholeNumber, least);
}

/** The number in an element; one that is less than `least` is named, for nothing is done with it. */
function readNumber(node: SourceNode | undefined, form: NumberForm, least: number): number | undefined {
  const text = node?.text() ?? '';
  if (!node || text === '') return undefined;
  if (!form.pattern.test(text)) {
    node.error(`<${node.local}> must be ${form.words}, found "${text}"`);
    return undefined;
  }
  const value = Number(text);
  if (value < least) node.warn(`<${node.local}> means nothing below ${least}, found "${text}"`);
  return value;
}
