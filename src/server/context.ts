import type { Deployer, RegistryHandlers } from '#artifacts';
import type { AuditTrail, Clock, Health, Home, Metrics } from '#core';
import type { Config } from '#config';
import type { ProcessControl } from '#management';
import type { FaultNarratives, MediationServices, WebSocketSender } from '#mediation';
import type { FetchHandler } from '#rest';
import type { HttpSender, RequestHandler } from '#transport';
import type { AuthorityHolder } from './authority.ts';
import type { AdminAccount } from './admin-account.ts';
import type { AdminSignIn } from './admin-sign-in.ts';
import type { ClientRevocation } from './client-revocation.ts';
import type { MediationDebugger } from './debugger/debugger.ts';
import type { InboundPorts } from './inbound-ports.ts';
import type { OpenDatabases } from './open-databases.ts';
import type { Reloader } from './reloader.ts';
import type { ServerSettings } from './settings.ts';
import type { Steering } from './observation.ts';
import type { ServerTls } from './tls.ts';
import type { UserDirectoryHolder } from './user-directory.ts';
import type { NodeState } from './workers/node-state.ts';

/** An address that the server answers at, for the log's first lines. */
export interface ServerAddress {
  readonly name: string;
  readonly port: number;
  readonly url: string;
  /** True when other machines can reach it. */
  readonly isPublic: boolean;
}

/** What every module gets. */
export interface ServerContext {
  readonly home: Home;
  readonly config: Config;
  readonly settings: ServerSettings;
  /** Tells who can take other values while the server runs. */
  readonly reloader: Pick<Reloader, 'onReload'>;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly health: Health;
  /** The latest audit records of all administrative APIs of this process. */
  readonly auditTrail: AuditTrail;
  /** Takes the records of other audits for the file of them; undefined without log files. */
  readonly auditFile: AuditTrail['sink'] | undefined;
  readonly sender: HttpSender;
  /** Connections that speak WebSocket, of clients and to back ends. */
  readonly webSockets: WebSocketSender;
  readonly services: MediationServices;
  /** What happened to messages that failed, the latest ones. */
  readonly narratives: FaultNarratives;
  readonly deployer: Deployer;
  /** What stands around operations on registry resources. */
  readonly registryHandlers: RegistryHandlers;
  /** Undefined unless the server was started to be debugged (`esb.debug`). */
  readonly debugger: MediationDebugger | undefined;
  /** What the processes of this node have in common. */
  readonly node: NodeState;
  /** Users and roles for the management API. */
  readonly userDirectory: UserDirectoryHolder;
  /** What people look at and switch while the server runs. */
  readonly steering: Steering;
  /** Ends the process or begins it anew; undefined where nobody can do that from inside. */
  readonly control: ProcessControl | undefined;
  /** Takes another secret id of the external vault; undefined where there is none. */
  readonly setVaultSecretId: ((secretId: string) => void) | undefined;
  /** Properties of the process. */
  readonly systemProperties: ReadonlyMap<string, string>;
  readonly admin: AdminAccount;
  /** Who may administer this server. */
  readonly signIn: AdminSignIn;
  /** Key material of HTTPS listeners and of the sender. */
  readonly tls: ServerTls;
  /** Whether certificates of clients were revoked. */
  readonly revocation: ClientRevocation;
  /** Paths of the API HTTPS port that modules answer before any artifact; filled by the modules as they start. */
  readonly apiPaths: Map<string, RequestHandler>;
  /** Administrative APIs of the server's ports by their paths, also below `/t/DOMAIN`; filled by the modules. */
  readonly serverApis: Map<string, FetchHandler>;
  /** Who calls and which tenants there are, for modules that start after the authorization server. */
  readonly authority: AuthorityHolder;
  /** The databases that the server works with, for whoever watches them. */
  readonly openDatabases: OpenDatabases;
  /** Opens ports for inbound endpoints. */
  readonly inboundPorts: InboundPorts;
  /** Filled by the modules as they open ports. */
  readonly addresses: ServerAddress[];
}
