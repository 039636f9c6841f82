export { api, type ApiDefinition, type CompiledApi } from './artifact.ts';
export { allowedOrigin, type CorsSettings } from './cors.ts';
export { generateDefinition } from './definition.ts';
export { createApiRoute, type ApiRouteOptions } from './dispatch.ts';
export { createPayloadValidator, type PayloadValidation, type PayloadValidator } from './validate-payload.ts';
export { readHandlers, serializeHandlers, type HandlerDefinition } from './handlers.ts';
export { findUnservedPorts } from './unserved-ports.ts';
export { createApiTable, type ApiTable } from './match.ts';
