export {
  defineArtifact,
  type AnyArtifactKind,
  type Artifact,
  type ArtifactKind,
  type Conflict,
  type LiveArtifact,
  type Observed,
} from './artifact.ts';
export type { Application } from './car.ts';
export { readConnector } from './connectors.ts';
export { createDeployer, type Deployer, type DeploymentReport } from './deployer.ts';
export { coreKinds } from './kinds/index.ts';
export { createLiveArtifacts, type LiveArtifacts } from './live.ts';
export { readArtifacts, type ReadResult } from './read.ts';
export { propertiesOf } from './properties-file.ts';
export { registryPathOf, type PackedResource } from './registry.ts';
export {
  createRegistryHandlers,
  registryMethods,
  registryOperations,
  type BoundRegistryHandler,
  type RegistryFilter,
  type RegistryHandler,
  type RegistryHandlers,
  type RegistryOperation,
  type RegistryRequest,
} from './registry-handlers.ts';
export { registryMediaTypeOf, registryMetadataFile } from './registry-media-type.ts';
export {
  assembleSources,
  findPlaces,
  readSources,
  registryRootsOf,
  type ArtifactFile,
  type SourcePlaces,
  type SourceSet,
} from './sources.ts';
export { createArtifactReader } from './reader.ts';
export { buildWorld, type DeployedArtifact, type World, type WorldSettings } from './world.ts';
export type { ExternalValues } from './environment.ts';
