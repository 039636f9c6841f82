import type { AnyEndpointType } from '../endpoint.ts';
import { address } from './address.ts';
import { defaultEndpoint } from './default.ts';
import { http } from './http.ts';

/** Every kind of endpoint, one line each. */
export const endpointTypes: readonly AnyEndpointType[] = [address, defaultEndpoint, http];
