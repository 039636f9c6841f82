export { proxy, type ProxyDefinition } from './artifact.ts';
export type { CompiledProxy } from './compile.ts';
export { createProxyRoute, type ProxyRouteOptions } from './route.ts';
export { serviceAddress } from './wsdl/ports.ts';
