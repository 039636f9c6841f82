import { appendChild, cloneNode, type SourceNode, type XmlElement } from '#xml';
import { readAddressing, serializeAddressing, type AddressingSettings } from './ws-addressing.ts';
import { readDeliveryPolicy, serializeDeliveryPolicy, type DeliveryPolicy } from './delivery-policy.ts';

/** What every endpoint has that sends to one address itself (runtime-core 5.1, 5.4). */
export interface LeafSettings {
  readonly policy: DeliveryPolicy;
  readonly addressing: AddressingSettings | undefined;
  /** `<enableRM>`, which has no effect in the original either, for writing back. */
  readonly kept: readonly XmlElement[];
}

/** Elements of these settings. */
export const leafElements: readonly string[] = [
  'timeout',
  'markForSuspension',
  'suspendOnFailure',
  'suspendDurationOnFailure',
  'retryConfig',
  'retry',
  'enableAddressing',
  'enableSec',
  'enableRM',
];

/** Reads the settings below an address, http, wsdl or default element. */
export function readLeafSettings(node: SourceNode): LeafSettings {
  const security = node.child('enableSec');
  security?.error('messages are not secured by policies yet; without <enableSec> they would go out in the clear', {
    code: 'MR_ENDPOINT_SECURITY_UNSUPPORTED',
  });
  return {
    policy: readDeliveryPolicy(node),
    addressing: readAddressing(node.child('enableAddressing')),
    kept: node.childrenNamed('enableRM').map(({ element }) => cloneNode(element)),
  };
}

/** Writes the settings back into the kind's element. */
export function serializeLeafSettings(element: XmlElement, { policy, addressing, kept }: LeafSettings): XmlElement {
  serializeDeliveryPolicy(element, policy);
  if (addressing) appendChild(element, serializeAddressing(addressing));
  for (const each of kept) appendChild(element, cloneNode(each));
  return element;
}

/** An endpoint about which nothing is said. */
export const noSettings: LeafSettings = {
  policy: {
    timeout: undefined,
    timeoutAction: undefined,
    mark: { errorCodes: [], retriesBeforeSuspension: 0, retryDelay: 0 },
    suspend: {
      errorCodes: [],
      initialDuration: undefined,
      progressionFactor: undefined,
      maximumDuration: Number.MAX_SAFE_INTEGER,
      seconds: undefined,
    },
    retry: { enabled: [], disabled: [] },
  },
  addressing: undefined,
  kept: [],
};
