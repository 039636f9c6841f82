import type { Audit } from '#core';
import { createRestApi, type CorsOptions, type FetchHandler, type Operation, type RestApi } from '#rest';
import { artifactOperations, type ArtifactResource } from './artifact-resource.ts';
import { errorBody } from './conventions.ts';
import { followChanges } from './follow-changes.ts';
import type { LogLevels } from './log-levels.ts';
import { apis } from './resources/apis.ts';
import { applicationOperations } from './resources/applications.ts';
import { auditOperations } from './resources/audit.ts';
import { bulkOperations } from './resources/artifacts.ts';
import { configOperations } from './resources/configs.ts';
import { configurationOperations } from './resources/configuration.ts';
import { connectorOperations } from './resources/connectors.ts';
import { dataServiceFault, dataServices } from './resources/data-services.ts';
import { dataSourceOperations } from './resources/data-sources.ts';
import { endpoints } from './resources/endpoints.ts';
import { inboundEndpoints } from './resources/inbound-endpoints.ts';
import { localEntries } from './resources/local-entries.ts';
import { loggingOperations } from './resources/logging.ts';
import { logsOperations } from './resources/logs.ts';
import { messageProcessors } from './resources/message-processors.ts';
import { messageStores } from './resources/message-stores.ts';
import { observationOperations } from './resources/observations.ts';
import { problemOperations } from './resources/problems.ts';
import { proxyServices } from './resources/proxy-services.ts';
import { registryOperations } from './resources/registry-resources.ts';
import { roleOperations } from './resources/roles.ts';
import { sequences } from './resources/sequences.ts';
import { replayOperations } from './resources/replays.ts';
import { serverOperations } from './resources/server.ts';
import { storedMessageOperations } from './resources/stored-messages.ts';
import { tasks } from './resources/tasks.ts';
import { templateOperations } from './resources/templates.ts';
import { userOperations } from './resources/users.ts';
import type { ManagedRuntime } from './runtime.ts';
import type { SignIn } from './sign-in.ts';

export interface ManagementOptions {
  readonly runtime: ManagedRuntime;
  readonly signIn: SignIn;
  readonly logLevels: LogLevels;
  readonly audit: Audit;
  /** Undefined answers no other origin. */
  readonly cors: CorsOptions | undefined;
  /** Where others reach the server, for the API's own definition. */
  readonly publicUrl?: string | undefined;
}

const basePath = '/management';

/** Most bytes of an upload. */
const uploadLimit = 256 * 1024 * 1024;

/** Kinds of artifacts, one resource each. */
const artifactResources: readonly ArtifactResource[] = [
  apis,
  proxyServices,
  endpoints,
  inboundEndpoints,
  sequences,
  tasks,
  messageStores,
  messageProcessors,
  localEntries,
  dataServices,
];

/** Everything that the management API can do. */
function operationsOf({ runtime, signIn, logLevels }: ManagementOptions): readonly Operation[] {
  return [
    ...signIn.operations,
    ...serverOperations(runtime),
    ...artifactResources.flatMap((resource) => artifactOperations(resource, runtime)),
    dataServiceFault(runtime),
    ...templateOperations(runtime),
    ...connectorOperations(runtime),
    ...applicationOperations(runtime),
    ...dataSourceOperations(runtime),
    ...loggingOperations(logLevels, runtime.node),
    ...logsOperations(runtime),
    ...configOperations(runtime),
    ...configurationOperations(runtime),
    ...userOperations(runtime),
    ...roleOperations(runtime),
    ...registryOperations(runtime),
    ...bulkOperations(runtime),
    ...observationOperations(runtime),
    ...problemOperations(runtime),
    ...auditOperations(runtime),
    ...storedMessageOperations(runtime),
    ...replayOperations(runtime),
  ];
}

/** The runtime's management API (management 1). */
export function createManagementApi(options: ManagementOptions): RestApi {
  const { signIn, audit, cors, publicUrl } = options;
  followChanges({ ...options, resources: artifactResources });
  const api = createRestApi({
    title: 'Management',
    version: '1',
    basePath,
    operations: operationsOf(options),
    authenticate: (request, connection) => signIn.authenticate(request, connection),
    challenge: 'Basic realm="Millrace"',
    audit,
    errorBody,
    limits: { size: uploadLimit },
    ...(cors && { cors }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
  });
  return { ...api, fetch: inOriginalOrder(api.fetch, signIn) };
}

/** Who calls is asked before what is there: an unknown path says nothing to strangers, and has no 405 (management 1.1). */
function inOriginalOrder(fetch: FetchHandler, signIn: SignIn): FetchHandler {
  return async (request, connection) => {
    const { pathname } = new URL(request.url);
    const isOpen = request.method === 'OPTIONS' || pathname === basePath || pathname === `${basePath}/`;
    let isKnown = isOpen;
    if (!isOpen) {
      try {
        isKnown = (await signIn.authenticate(request, connection)) !== undefined;
      } catch {
        // The API itself answers what was thrown: it asks for the same answer again.
        return fetch(request, connection);
      }
    }
    const target = pathname === `${basePath}/` ? new Request(new URL(basePath, request.url), request) : request;
    const response = await fetch(target, connection);
    if (!isKnown) return unauthenticated(response);
    if (response.status !== 405) return response;
    return new Response(null, { status: 404, headers: { 'Content-Length': '0' } });
  };
}

/** The second header is how the original spells the first one; its clients look for neither. */
function unauthenticated(response: Response): Response {
  const headers = new Headers(response.headers);
  headers.set('WWW-Authenticate', 'Basic realm="Millrace"');
  headers.set('WWW_Authenticate', 'Basic realm="Millrace"');
  headers.set('Content-Length', '0');
  headers.delete('Content-Type');
  return new Response(null, { status: 401, headers });
}
