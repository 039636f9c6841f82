export { inboundEndpoint } from './artifact.ts';
export type { InboundContext, InboundMessage, ListeningConsumer, PollingConsumer } from './custom/types.ts';
export { findInboundPorts } from './http/find-ports.ts';
export { createInboundRoute, type InboundRouteOptions } from './http/route.ts';
export type { CompiledInbound } from './protocol.ts';
export type { RunningInbound } from './running.ts';
