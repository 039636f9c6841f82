import { addressesOf } from '../artifact-facts.ts';
import type { ArtifactResource } from '../artifact-resource.ts';
import type { ManagedRuntime } from '../runtime.ts';

/** `/proxy-services` (management 1.6). A service that was stopped compiles as one that refuses messages. */
export const proxyServices: ArtifactResource = {
  path: '/proxy-services',
  kind: 'proxy',
  title: 'proxy service',
  parameter: 'proxyServiceName',
  missing: 'bare',
  observedAs: 'proxy_service',
  item: ({ name }, runtime) => ({ name, ...descriptionsOf(name, runtime) }),
  detail: ({ name, stats, tracing, configuration, deployed }, runtime) => ({
    name,
    ...descriptionsOf(name, runtime),
    stats,
    tracing,
    eprs: addressesOf(runtime, `/services/${name}`),
    isRunning: (deployed.compiled as { readonly active: boolean }).active,
    configuration,
  }),
  status: {
    audit: 'proxy_service',
    unknown: 404,
    async set({ key }, isActive, { switches, deployer }) {
      switches.set(key, isActive);
      await deployer.rebuild();
    },
  },
};

/** Addresses of the descriptions of a service. */
export function descriptionsOf(name: string, runtime: ManagedRuntime): { wsdl1_1: string; wsdl2_0: string } {
  const [address = ''] = addressesOf(runtime, `/services/${name}`);
  return { wsdl1_1: `${address}?wsdl`, wsdl2_0: `${address}?wsdl2` };
}
