export type { Advice, MediatorPlace } from './advice.ts';
export { createAnswer, statusOfAnswer, type Answer } from './answer.ts';
export {
  createCompileContext,
  libraryOf,
  provideLibrary,
  type CompileContext,
  type CompileLibrary,
  type ConnectionSettings,
  type Library,
  type MediationServices,
  type MediationSettings,
  type ParseContext,
  type Reference,
} from './context.ts';
export type { CompiledEndpoint, EndpointDefinition, SendOptions } from './endpoint.ts';
export type { EndpointCounts, EndpointStatus } from './endpoints/endpoint-statistics.ts';
export { createEndpointStates, type EndpointStates } from './endpoints/endpoint-states.ts';
export { parseEndpoint } from './endpoints/parse.ts';
export { joinAdvice } from './measure/advice.ts';
export type { Capture, CaptureRequest } from './measure/captures.ts';
export { timeBounds, type MediatorCounts } from './measure/mediator-counters.ts';
export type { MessageTrace, TraceStep } from './measure/message-traces.ts';
export { createObserver, type Observer, type ObserverSettings } from './measure/observer.ts';
export { isSecretName, masked, maskText } from './measure/masking.ts';
export { createMasking, type Masking } from './measure/create-masking.ts';
export type { MaskingRule } from './measure/masking-rules.ts';
export { takeSnapshot } from './measure/snapshot.ts';
export { createSwitches, type Switches } from './switches.ts';
export { forwarding } from './forward.ts';
export {
  compileOwnSequence,
  guardWith,
  readOwnSequence,
  serializeInline,
  type OwnSequence,
  type OwnSequences,
} from './own-sequence.ts';
export { describeFault, Fault, faultAt, faultFields } from './fault.ts';
export { createFaultNarratives, type FaultNarrative, type FaultNarratives } from './fault-narratives.ts';
export { CONTINUE, STOP, type Flow } from './flow.ts';
export { extensionMessage } from './extension/extension-message.ts';
export { createFlowHandlers, flowMethods, type FlowHandlers } from './extension/flow-handlers.ts';
export { extensionLog, liveWith } from './extension/instance.ts';
export { resolveExtension, setProperties, type ExtensionPlace, type NamedExtension } from './extension/resolve.ts';
export type {
  ApiHandler,
  ClassMediator,
  Command,
  Extension,
  ExtensionContext,
  ExtensionLog,
  ExtensionMessage,
  ExtensionScope,
  FlowHandler,
} from './extension/types.ts';
export type { Companion, Lifecycle } from './lifecycle.ts';
export type { Compiled, Step } from './mediator.ts';
export { mediatorsByElement, mediatorTypes } from './mediators/index.ts';
export { declareNamespaces, synapseElement, synapseNamespace, textElement } from './reading.ts';
export {
  compileSequence,
  createParseContext,
  parseSequence,
  readSequenceName,
  serializeSteps,
  withFaultHandler,
  type SequenceDefinition,
} from './sequence.ts';
export { createPriorityExecutor, type PriorityExecutor } from './priority-executor.ts';
export { readRemarks, restoreRemarks, type Remarks } from './remarks.ts';
export { sequenceReference } from './shared/branch.ts';
export { deployNode, isDeployValue, resolveDeployValue } from './shared/deploy-value.ts';
export { readEndpointReference, type EndpointReference } from './shared/endpoint-reference.ts';
export { mediaTypeOfVersion, soapVersionOfClient, soapVersionOfRequest } from './soap-client.ts';
export { textOfValue } from './shared/typed-value.ts';
export type { EndpointTemplate, SequenceTemplate, TemplateParameter } from './template.ts';
export { BackgroundExchange } from './background/exchange.ts';
export { keepLease } from './background/lease-keeper.ts';
export {
  attachFrameClient,
  closeOf,
  createWebSocketSender,
  describeClose,
  frameOfAnswer,
  messageOfFrame,
  namesCloseCode,
  offerWebSocket,
  saysTerminate,
  sendWhole,
  type CurrentWorld,
  type FrameClient,
  type FrameSink,
  type WebSocketSchemeSettings,
  type WebSocketSender,
  type WebSocketSettings,
} from './web-socket/index.ts';
export type { LiveContext, LiveWorld } from './background/live.ts';
export { createPauses, type Pauses } from './background/pause.ts';
export { isPinnedHere, readServerNames } from './background/pinning.ts';
export { runInBackground } from './background/run.ts';
export { createSchedule, type Timing } from './background/schedule.ts';
export type {
  ArtifactPorts,
  NamedStore,
  OpenPort,
  PortClients,
  PortRequest,
  PortRevocation,
  PortTls,
  PortWorkers,
} from './background/ports.ts';
export { createMemoryBackground, type ArtifactStates, type BackgroundServices } from './background/services.ts';
export { createThrottles, type Place, type ThrottleCounts, type Throttles } from './shared/throttle-counter.ts';
export type { RateLimit } from './shared/throttle-policy.ts';
export { MemoryQueue, type Queued } from './stores/memory-queue.ts';
export { factoryParameters, type BrokerFactories, type SchemeFactories } from './brokers/broker-factories.ts';
export { headerOfProperty, jmsOutgoing, type Hyphens } from './brokers/jms-outgoing.ts';
export { rabbitmqMembers, rabbitmqTls, rabbitmqVersions } from './brokers/rabbitmq-address.ts';
export { connectRabbitmq, type RabbitmqMembers } from './brokers/rabbitmq-connect.ts';
export { rabbitmqOutgoing } from './brokers/rabbitmq-outgoing.ts';
export { typeOfText } from './brokers/text-type.ts';
export { answerBody } from './brokers/wire-body.ts';
export { createBrokerStores, type BrokerStores } from './stores/broker/broker-stores.ts';
export { createMessageStores, type MessageStores } from './stores/message-stores.ts';
export { readDocument, writeDocument } from './stores/stored-document.ts';
export {
  compileStore,
  parseStore,
  serializeStore,
  type CompiledStore,
  type StoreDefinition,
} from './stores/definition.ts';
export type { MessageStore, StoreEntry } from './stores/message-store.ts';
export type { StorePage, StoreReach } from './stores/store-page.ts';
export {
  compileProcessor,
  parseProcessor,
  serializeProcessor,
  type ProcessorDefinition,
} from './processors/definition.ts';
export { startProcessor, type RunningProcessor } from './processors/processor.ts';
export { parseTask, serializeTask, type CompiledTask, type TaskDefinition } from './tasks/definition.ts';
export { compileTaskOf, startTask, type RunningTask } from './tasks/task.ts';
export { injectionInto, type InjectableService } from './background/service-flow.ts';
