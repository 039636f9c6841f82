export { api, type ApiDefinition, type CompiledApi } from './artifact.ts';
export { allowedOrigin, type CorsSettings } from './cors.ts';
export { generateDefinition, type ServerAddress } from './definition.ts';
export { createDispatcher, type DispatchOptions } from './dispatch.ts';
export { createApiTable, type ApiTable } from './match.ts';
