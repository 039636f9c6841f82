import { api } from '#api';
import { coreKinds, type AnyArtifactKind } from '#artifacts';
import { inboundEndpoint } from '#inbound';
import { proxy } from '#proxy';

/** Every kind of artifact that a server deploys. */
export const artifactKinds: readonly AnyArtifactKind[] = [...coreKinds, api, proxy, inboundEndpoint];
