import type { AnyEndpointType } from '../endpoint.ts';
import { address } from './address.ts';
import { defaultEndpoint } from './default.ts';
import { failover } from './failover.ts';
import { http } from './http.ts';
import { loadbalance } from './loadbalance.ts';
import { recipientList } from './recipient-list.ts';
import { wsdl } from './wsdl.ts';

/** Every kind of endpoint, one line each, in the order in which the original looks for them (runtime-core 5.1). */
export const endpointTypes: readonly AnyEndpointType[] = [
  address,
  wsdl,
  defaultEndpoint,
  loadbalance,
  failover,
  recipientList,
  http,
];

/** Kinds that the original knows and that cannot be used here, with the reason. */
export const unsupportedEndpoints: ReadonlyMap<string, string> = new Map([
  ['dynamicLoadbalance', 'members that join through a cluster are not known here; list them in a <loadbalance>'],
  ['serviceDynamicLoadbalance', 'members that join through a cluster are not known here; list them in a <loadbalance>'],
  ['class', 'it names a Java class; use another kind of endpoint'],
]);
