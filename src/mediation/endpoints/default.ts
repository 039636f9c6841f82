import { synapseCodes } from '#errors';
import type { CompileContext } from '../context.ts';
import { defineEndpoint, type CompiledEndpoint } from '../endpoint.ts';
import { Fault } from '../fault.ts';
import { synapseElement } from '../reading.ts';
import type { DeliveryPolicy } from './delivery-policy.ts';
import { noFormat, readFormat, serializeFormat, type FormatSettings } from './format.ts';
import { leafElements, readLeafSettings, serializeLeafSettings, type LeafSettings } from './leaf-settings.ts';
import { createLeafEndpoint } from './leaf.ts';
import { withRestSuffix } from './url.ts';

interface Definition {
  readonly format: FormatSettings;
  readonly settings: LeafSettings;
}

const defaultPolicy: DeliveryPolicy = {
  timeout: undefined,
  timeoutAction: undefined,
  mark: { errorCodes: [], retriesBeforeSuspension: 0, retryDelay: 0 },
  // An endpoint that nobody declared keeps no state between messages: every address shares it.
  suspend: {
    errorCodes: [-1],
    initialDuration: 0,
    progressionFactor: undefined,
    maximumDuration: 0,
    seconds: undefined,
  },
  retry: { enabled: [], disabled: [] },
};

/** `<default/>`: sends to the address in `To` (runtime-core 5.1). */
export const defaultEndpoint = defineEndpoint<Definition>({
  element: 'default',
  attributes: ['format', 'encoding', 'optimize'],
  children: leafElements,
  parse: (node) => ({ format: readFormat(node), settings: readLeafSettings(node) }),
  serialize: ({ format, settings }) =>
    serializeLeafSettings(synapseElement('default', serializeFormat(format)), settings),
  compile: (definition, name, context) => compileDefault(definition, name, context),
});

const unsuspended: LeafSettings = { policy: defaultPolicy, addressing: undefined, kept: [] };

/** What `send` and `call` without an endpoint use. */
export function addressedByMessage(context: CompileContext): CompiledEndpoint {
  return compileDefault({ format: noFormat, settings: unsuspended }, 'default', context);
}

function compileDefault({ format, settings }: Definition, name: string, context: CompileContext): CompiledEndpoint {
  return createLeafEndpoint(
    {
      name,
      settings,
      format,
      target(message) {
        const to = message.addressing.to;
        if (to === undefined || !/^[a-z][a-z0-9+.-]*:/i.test(to)) {
          throw new Fault({
            code: synapseCodes.endpointNotReady,
            message: `The message has no address to be sent to: To is "${to ?? ''}"`,
          });
        }
        return { url: withRestSuffix(to, message, format), method: undefined };
      },
    },
    context,
  );
}
