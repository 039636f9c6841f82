import type { Message } from '#message';
import { faultOf } from '#xml';

/** True when the loaded payload of a message is a SOAP fault. */
export function holdsSoapFault({ payload }: Message): boolean {
  return !payload.hasJson() && faultOf(payload.envelope()) !== undefined;
}
