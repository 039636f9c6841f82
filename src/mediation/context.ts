import type { Clock, Logger, WorkerPool } from '#core';
import type { EventBus } from '#events';
import type { MappingOptions } from '#json';
import type { Message, MessageEnvironment, MessageFormats } from '#message';
import type { Report, SourceNode, XmlElement } from '#xml';
import type { HttpSender, ProxySelector } from '#transport';
import type { ArtifactPorts } from './background/ports.ts';
import type { BackgroundServices } from './background/services.ts';
import type { Advice } from './advice.ts';
import type { CompiledEndpoint } from './endpoint.ts';
import type { EndpointStates } from './endpoints/endpoint-states.ts';
import type { FlowHandlers } from './extension/flow-handlers.ts';
import type { ExtensionPlace } from './extension/resolve.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Switches } from './switches.ts';
import type { PriorityExecutor } from './priority-executor.ts';
import type { ScriptSettings } from './script/settings.ts';
import type { Compiled, Step } from './mediator.ts';
import type { WebSocketSender } from './web-socket/index.ts';
import type { CompiledStore } from './stores/definition.ts';
import type { EndpointTemplate, SequenceTemplate } from './template.ts';

/** The name of another artifact or resource, and where it stands. */
export interface Reference {
  readonly kind: 'sequence' | 'endpoint' | 'template' | 'messageStore' | 'inboundEndpoint' | 'resource';
  readonly key: string;
  readonly node: SourceNode;
  readonly attribute: string;
}

/** What parsing needs besides the node itself. */
export interface ParseContext {
  readonly report: Report;
  /** Notes that the artifact names another one, so that a check can say what does not exist. */
  refer(reference: Reference): void;
  /** Parses the children of an element as a list of mediators. */
  steps(node: SourceNode): readonly StepOrComment[];
}

export type StepOrComment = Step | { readonly comment: string };

/** The named artifacts of a world, found when they are needed: what is missing fails the message, not the deployment. */
export interface Library {
  sequence(key: string): Compiled | undefined;
  endpoint(key: string): CompiledEndpoint | undefined;
  sequenceTemplate(name: string): SequenceTemplate | undefined;
  endpointTemplate(name: string): EndpointTemplate | undefined;
  /** The operations of an imported connector, each with the name of its template; undefined when none is imported. */
  connector(name: string): ReadonlyMap<string, string> | undefined;
  messageStore(name: string): CompiledStore | undefined;
  priorityExecutor(name: string): PriorityExecutor | undefined;
  /** The flow of a proxy service, for messages that do not come from its listeners. */
  proxy(name: string): Compiled | undefined;
  /** What messages of the world see of it. */
  readonly environment: MessageEnvironment;
  /** A value of the process that artifacts name when they are deployed: environment, `file.properties` or its own. */
  external(scope: 'env' | 'file' | 'system', name: string): string | undefined;
  configuration(name: string): string | undefined;
  /** A secret by alias. */
  secret(alias: string): string | undefined;
  /** What people have decided for an artifact by its key; undefined when nobody has. */
  isSwitchedOn(key: string): boolean | undefined;
  /** The text of a local entry or registry resource. */
  resource(key: string): string | undefined;
  /** The XML of a local entry or registry resource, parsed once for as long as its text is the same. */
  xmlResource(key: string): XmlElement | undefined;
  /** Takes what artifacts run besides messages. */
  readonly lifecycle: Lifecycle;
}

/**
 * What an artifact may look at while it is compiled. A world that is built later compares it: where all of this is as it
 * was, the compiled form lives on there. Artifacts are not part of it, since each world has others under the same names:
 * what a message needs of those comes from its own world, by `libraryOf`.
 */
export type CompileLibrary = Pick<
  Library,
  | 'endpointTemplate'
  | 'connector'
  | 'environment'
  | 'external'
  | 'configuration'
  | 'secret'
  | 'isSwitchedOn'
  | 'resource'
  | 'xmlResource'
  | 'lifecycle'
>;

const libraries = new WeakMap<MessageEnvironment, Library>();

/** Lets messages that run in an environment find the artifacts of their world. */
export function provideLibrary(library: Library): Library {
  libraries.set(library.environment, library);
  return library;
}

/** The named artifacts of the world in which a message runs. @throws Error for an environment that belongs to no world */
export function libraryOf(message: Message): Library {
  const library = libraries.get(message.exchange.environment);
  if (!library) throw new Error('the message runs in no world');
  return library;
}

/** Settings that mediation reads; they come from the configuration catalog. */
export interface MediationSettings {
  /** Milliseconds within which a back end must answer unless the endpoint says otherwise. */
  readonly globalTimeout: number;
  /** Most bytes of a body that is built in memory. */
  readonly maxBodyBytes: number;
  /** Lower-cased names of headers that survive although they are dropped by default. */
  readonly preservedHeaders: ReadonlySet<string>;
  /** The same for answers to clients; `preservedHeaders` when absent. */
  readonly preservedResponseHeaders?: ReadonlySet<string>;
  /** Milliseconds of the first suspension when an endpoint names none, and the factor of the following ones. */
  readonly suspendDuration: number;
  readonly suspendFactor: number;
  /** True when these two hold for endpoints that say otherwise, too. */
  readonly overridesSuspension?: boolean;
  /** True when sub-delimiters of RFC 3986 may stand in the path variables of resources. */
  readonly allowsSubDelimiters?: boolean;
  /** How payloads turn from XML into JSON and back; the defaults when absent. */
  readonly jsonMapping?: MappingOptions;
  /** How bodies are read and written; as without configuration when absent. */
  readonly formats?: MessageFormats;
  /** Most members that a group tries for one message after the first; no limit when absent. */
  readonly maximumFailovers?: number;
  /** Milliseconds for which the last of them rests; 30 seconds when absent. */
  readonly failoverRest?: number;
  /** Milliseconds without a message after which a session ends that names no time of its own; 10 minutes when absent. */
  readonly sessionTimeout?: number;
  /** Most milliseconds for which an OAuth token is kept; 50 minutes when absent. */
  readonly tokenLifetime?: number;
  /** False when a message is not kept to be sent again after its token was refused. */
  readonly resendsUnauthorized?: boolean;
  /** Connections to token servers, for endpoints that ask for the common settings. */
  readonly tokenConnection?: ConnectionSettings;
  /** The time zone of dates in text, such as `Europe/Zurich`; UTC when absent. */
  readonly timeZone?: string;
  /** Most messages of one inbound endpoint that are mediated at once, where it does not take them one by one. */
  readonly inboundConcurrency?: number;
  /** Bounds of scripts; the defaults when absent. */
  readonly scripts?: ScriptSettings;
}

/** How a connection is made that has settings of its own. */
export interface ConnectionSettings {
  readonly connectTimeout?: number | undefined;
  readonly socketTimeout?: number | undefined;
  readonly proxy?: ProxySelector | undefined;
}

/** The parts of the server that mediation works with. */
export interface MediationServices {
  readonly sender: HttpSender;
  /** The sender of blocking calls; the other one when absent. */
  readonly blockingSender?: HttpSender;
  /** Makes a sender with connection settings of its own; whoever gives it closes it. The other one when absent. */
  readonly openSender?: (settings: ConnectionSettings) => HttpSender;
  /** Sends to `ws://` and `wss://` addresses; nothing can be sent there when absent. */
  readonly webSockets?: WebSocketSender;
  readonly clock: Clock;
  /** Topics within the process; nobody listens when absent. */
  readonly events?: EventBus;
  readonly log: Logger;
  readonly settings: MediationSettings;
  readonly endpointStates: EndpointStates;
  /** Where classes are found that artifacts name; without it none is. */
  readonly extensions?: ExtensionPlace;
  /** Handlers around every message. */
  readonly handlers?: FlowHandlers | undefined;
  /** Looks at mediators while they run; nothing is wrapped when absent. */
  readonly advice?: Advice | undefined;
  /** What artifacts work with that run by themselves or keep messages. */
  readonly background: BackgroundServices;
  /** Opens ports for inbound endpoints; without it none is opened. */
  readonly ports?: ArtifactPorts;
  /** What people have switched on or off; nothing when absent. */
  readonly switches?: Switches | undefined;
  /** Limits how many branches of splits are mediated at once; without it all of them are. */
  readonly branchPool?: WorkerPool;
}

/** What compiling needs: identity of the place, named artifacts, services. */
export interface CompileContext {
  /** Identity of what is being compiled, such as `api:Orders/resource:0/in/2/then`. */
  readonly id: string;
  readonly library: CompileLibrary;
  readonly services: MediationServices;
  /** The context of a part of this one. */
  at(part: string | number): CompileContext;
}

/** Makes the context of an artifact, with identities that start at `id`. */
export function createCompileContext(id: string, library: CompileLibrary, services: MediationServices): CompileContext {
  return { id, library, services, at: (part) => createCompileContext(`${id}/${part}`, library, services) };
}
