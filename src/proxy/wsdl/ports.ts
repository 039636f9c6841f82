/** Where a service is reached: one base address, such as `http://host:8280`, for each listener that serves it. */
export interface ServiceAddresses {
  readonly service: string;
  readonly bases: readonly { readonly scheme: 'http' | 'https'; readonly base: string }[];
}

/** How messages of a port look. */
export type PortKind = 'soap11' | 'soap12' | 'rest';

/** A port of a generated service. */
export interface Port {
  readonly kind: PortKind;
  readonly name: string;
  readonly binding: string;
  readonly address: string;
}

const suffixes: Readonly<Record<PortKind, string>> = { soap11: 'Soap11', soap12: 'Soap12', rest: '' };
const bindings: Readonly<Record<PortKind, string>> = {
  soap11: 'Soap11Binding',
  soap12: 'Soap12Binding',
  rest: 'HttpBinding',
};

/**
 * The ports of a generated service, named as in the original: `<service>HttpSoap11Endpoint` and so on, each at
 * `/services/<service>.<port>`. `part` tells several port types of one service apart.
 */
export function portsOf({ service, bases }: ServiceAddresses, kinds: readonly PortKind[], part = ''): readonly Port[] {
  return bases.flatMap(({ scheme, base }) =>
    kinds.map((kind) => {
      const name = `${service}${part}${scheme === 'http' ? 'Http' : 'Https'}${suffixes[kind]}Endpoint`;
      return {
        kind,
        name,
        binding: bindingName(service, kind, part),
        address: `${serviceAddress(base, service)}.${name}`,
      };
    }),
  );
}

export function bindingName(service: string, kind: PortKind, part = ''): string {
  return `${service}${part}${bindings[kind]}`;
}

/** The address of a service below a base. */
export function serviceAddress(base: string, service: string): string {
  return `${base}/services/${service.split('/').map(encodeURIComponent).join('/')}`;
}
