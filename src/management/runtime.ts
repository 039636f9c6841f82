import type { Deployer, DeployedArtifact, RegistryHandlers } from '#artifacts';
import type { AuditTrail, Clock, Home } from '#core';
import type { FaultNarratives, Observer, Switches } from '#mediation';
import type { ManagedNode } from './node.ts';
import type { RunningConfiguration } from './resources/configuration.ts';
import type { UserDirectory } from './user-directory.ts';

/** An address at which the runtime takes messages. */
export interface MessageAddress {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
}

/** A data source as the API shows it, without its password. */
export interface ManagedDataSource {
  readonly name: string;
  readonly driverClass: string;
  readonly url: string;
  readonly userName: string;
  readonly configuration: string;
  readonly configurationParameters: Readonly<Record<string, unknown>>;
}

/** How the process ends or begins anew. */
export interface ProcessControl {
  /** Graceful waits for what is in flight. */
  end(how: { readonly graceful: boolean; readonly restart: boolean }): void;
}

/** What the management API shows and changes. */
export interface ManagedRuntime {
  readonly home: Home;
  readonly version: string;
  readonly clock: Clock;
  readonly deployer: Deployer;
  /** Observes this process; `node` tells what all of them have observed. */
  readonly observer: Observer;
  readonly node: ManagedNode;
  readonly switches: Switches;
  readonly narratives: FaultNarratives;
  readonly auditTrail: AuditTrail;
  /** What stands around operations on registry resources. */
  readonly registryHandlers: RegistryHandlers;
  /** What the process runs with. */
  readonly configuration: RunningConfiguration;
  /** Data sources of the configuration. */
  readonly dataSources: readonly ManagedDataSource[];
  /** Where messages come in; ports are known when the listeners are open. */
  addresses(): readonly MessageAddress[];
  /** Where this process itself reaches its APIs without TLS; undefined when no such listener is open. */
  ownUrl(): string | undefined;
  /** Absent where nobody can stop the process from inside. */
  readonly control?: ProcessControl | undefined;
  /** What nobody may do from outside, as the configuration says. */
  readonly disabledActions: readonly ('shutdown' | 'restart')[];
  /** Takes another secret id of the external vault; absent where there is none. */
  readonly setVaultSecretId?: ((secretId: string) => void) | undefined;
  /** Whether messages are written to the correlation log. */
  readonly correlationLog: { isOn: boolean };
  /** Users and roles; undefined where the configuration file holds the accounts. */
  readonly users?: UserDirectory | undefined;
}

/** The deployed artifacts of one kind, by name. */
export function artifactsOf(runtime: ManagedRuntime, kind: string): readonly (DeployedArtifact & { name: string })[] {
  return [...runtime.deployer.current.artifacts.values()]
    .filter(({ artifact }) => artifact.kind === kind)
    .map((deployed) => ({ ...deployed, name: deployed.artifact.name }));
}

/** One deployed artifact; undefined when there is none. */
export function findArtifact(runtime: ManagedRuntime, kind: string, name: string): DeployedArtifact | undefined {
  return runtime.deployer.current.artifacts.get(`${kind}:${name}`);
}
