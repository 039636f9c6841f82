export { api, type ApiDefinition, type CompiledApi } from './artifact.ts';
export { allowedOrigin, type CorsSettings } from './cors.ts';
export { generateDefinition, type ServerAddress } from './definition.ts';
export { createDispatcher, type DispatchOptions } from './dispatch.ts';
export { createPayloadValidator, type PayloadValidation, type PayloadValidator } from './validate-payload.ts';
export { createWorkerPool, type WorkerPool, type WorkerPoolOptions } from './worker-pool.ts';
export { findUnservedPorts } from './unserved-ports.ts';
export { createApiTable, type ApiTable } from './match.ts';
