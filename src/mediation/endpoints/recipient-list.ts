import type { Message } from '#message';
import { appendChild, type SourceNode } from '#xml';
import { libraryOf, type CompileContext } from '../context.ts';
import { defineEndpoint, type CompiledEndpoint } from '../endpoint.ts';
import { CONTINUE, STOP, type Flow } from '../flow.ts';
import { declareNamespaces, readValue, synapseElement, type ValueSource } from '../reading.ts';
import { runSplit } from '../shared/split-settings.ts';
import { copyForBranch } from '../split.ts';
import { EndpointFault } from './endpoint-fault.ts';
import { noFormat } from './format.ts';
import { administration, noneReady } from './group.ts';
import { createLeafEndpoint } from './leaf.ts';
import { noSettings } from './leaf-settings.ts';
import { compileMembers, readMembers, serializeMembers, type Members } from './members.ts';
import { substituteProperties, withRestSuffix } from './url.ts';

interface DynamicRecipients {
  readonly value: ValueSource;
  readonly maxCache: number | undefined;
}

interface Definition {
  readonly members: Members;
  /** Addresses that each message names, separated by commas. */
  readonly dynamic: DynamicRecipients | undefined;
}

const defaultMaxCache = 20;

/** `<recipientlist>`: a copy of the message goes to every recipient, and each answers by itself (runtime-core 5.6). */
export const recipientList = defineEndpoint<Definition>({
  element: 'recipientlist',
  attributes: [],
  children: ['endpoint', 'member', 'endpoints'],
  parse(node, _, context) {
    const list = node.child('endpoints');
    return { members: readMembers(node, context, list !== undefined), dynamic: list && readDynamic(list) };
  },
  serialize({ members, dynamic }) {
    const element = serializeMembers(synapseElement('recipientlist'), members);
    if (dynamic) {
      const list = synapseElement('endpoints', { value: dynamic.value.text, 'max-cache': dynamic.maxCache });
      appendChild(element, declareNamespaces(list, [dynamic.value]));
    }
    return element;
  },
  compile({ members, dynamic }, name, context) {
    const fixed = compileMembers(members, context);
    return createRecipientList({ name, fixed, named: dynamic && compileDynamic(dynamic, context) }, context);
  },
});

function readDynamic(node: SourceNode): DynamicRecipients | undefined {
  node.knowOnly(['value', 'max-cache']);
  node.required('value');
  const value = readValue(node, 'value');
  return value && { value, maxCache: node.integer('max-cache', 1) };
}

/** Gives the endpoints of the addresses that a message names; those used last are kept with their states. */
function compileDynamic(
  { value, maxCache = defaultMaxCache }: DynamicRecipients,
  context: CompileContext,
): { readonly readsPayload: boolean; readonly endpointsFor: (message: Message) => readonly CompiledEndpoint[] } {
  const known = new Map<string, CompiledEndpoint>();
  const endpointFor = (url: string): CompiledEndpoint => {
    const endpoint = known.get(url) ?? compileAddress(url, context);
    known.delete(url);
    known.set(url, endpoint);
    const [oldest] = known.keys();
    if (known.size > maxCache && oldest !== undefined) known.delete(oldest);
    return endpoint;
  };
  return {
    readsPayload: value.value.contentAware,
    endpointsFor: (message) =>
      (value.value.evaluate(message) ?? '')
        .split(',')
        .map((url) => url.trim())
        .filter((url) => url !== '')
        .map(endpointFor),
  };
}

function compileAddress(url: string, context: CompileContext): CompiledEndpoint {
  return createLeafEndpoint(
    {
      name: url,
      settings: noSettings,
      format: noFormat,
      isPassing: true,
      target: (message) => ({
        url: withRestSuffix(substituteProperties(url, message), message, noFormat),
        method: undefined,
      }),
    },
    context.at(url),
  );
}

interface Recipients {
  readonly name: string;
  readonly fixed: readonly CompiledEndpoint[];
  readonly named: ReturnType<typeof compileDynamic> | undefined;
}

function createRecipientList({ name, fixed, named }: Recipients, context: CompileContext): CompiledEndpoint {
  const { services } = context;
  const settings = { id: undefined, continueParent: false, sequential: false };

  return {
    name,
    ...administration(name, fixed),
    isReady: (library) => named !== undefined || fixed.some((recipient) => recipient.isReady(library)),
    async send(message, options) {
      if (!message.payload.loaded) await message.payload.load(services.settings.maxBodyBytes);
      const library = libraryOf(message);
      const ready = [...fixed, ...(named?.endpointsFor(message) ?? [])].filter((recipient) =>
        recipient.isReady(library),
      );
      if (ready.length === 0) throw noneReady({ kind: 'Recipientlist', name });
      let failures = 0;
      /** What becomes of a copy: a failure is told, and only when nobody else is left it is a fault of the flow. */
      const sendCopy = async (copy: Message, recipient: CompiledEndpoint): Promise<Flow> => {
        try {
          if ((await recipient.send(copy, options)) === STOP) return STOP;
        } catch (error) {
          failures++;
          if (!(error instanceof EndpointFault) || failures === ready.length) throw error;
          services.log.warn(
            { list: name, recipient: recipient.name, code: error.code, error: error.message, message: copy.id },
            'a recipient of the list failed; the others go on',
          );
          return STOP;
        }
        // The answer goes on behind the mediator, as that of any other endpoint does.
        copy.waits();
        return options.deliver?.(copy) ?? CONTINUE;
      };
      const starts = ready.map((recipient) => ({
        message: () => copyForBranch(message),
        run: (copy: Message) => sendCopy(copy, recipient),
      }));
      return runSplit(message, starts, { settings, context, onFault: 'handle' });
    },
  };
}
