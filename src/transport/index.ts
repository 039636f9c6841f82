export { ask, type Answer, type AskLimits, type Question } from './ask.ts';
export {
  TransportError,
  type Body,
  type BodySink,
  type BodySource,
  type Exchange,
  type HeaderList,
  type HttpListener,
  type HttpRequest,
  type HttpResponder,
  type HttpSender,
  type IncomingResponse,
  type NtlmCredentials,
  type OutgoingRequest,
  type Peer,
  type RequestHandler,
  type ResponseHandler,
  type ResponseHead,
  type TakenConnection,
  type UpgradeOffer,
} from './contract.ts';
export {
  acceptWebSocket,
  asksForWebSocket,
  closeForBackEnd,
  closeForClient,
  connectWebSocket,
  defaultWebSocketLimits,
  isPlainProtocol,
  isSendableCode,
  readHandshake,
  WebSocketLink,
  type CloseFacts,
  type HandshakeRefusal,
  type WebSocketConnectOptions,
  type WebSocketFrame,
  type WebSocketHandshake,
  type WebSocketLimits,
  type WebSocketTarget,
} from './ws/index.ts';
export { declaresMore, limitBody, type BodyLimit } from './limited-body.ts';
export { copyHeaders } from './hop-by-hop.ts';
export { startHttpListener } from './http/listener.ts';
export type { ClientCheck, HttpListenerOptions, ListenerLimits, ListenerTls } from './http/listener-options.ts';
export type { Proxy, ProxySelector } from './http/proxy.ts';
export { reasonPhrase } from './http/reason-phrase.ts';
export { createHttpSender, type PooledHttpSender } from './http/sender.ts';
export type { HostNameVerifier, HttpSenderOptions, SenderTls } from './http/sender-options.ts';
export type { JmsBody, JmsDestination, JmsMessage, JmsOutgoing, JmsValue } from './jms/message.ts';
export {
  isNamingName,
  jmsProviderOf,
  lookUpBroker,
  lookUpDestination,
  namingNames,
  type NamedBroker,
  type Naming,
} from './jms/naming.ts';
export type {
  JmsConnection,
  JmsConsumer,
  JmsDelivery,
  JmsProvider,
  JmsReplyQueue,
  JmsSubscription,
} from './jms/provider.ts';
export {
  connectAmqp,
  type AmqpAddress,
  type AmqpChannel,
  type AmqpConnection,
  type AmqpOutgoing,
  type AmqpTls,
  type ConsumeMessage,
  type GetMessage,
} from './rabbitmq/connection.ts';
export { along, declareRoute, type AmqpRoute } from './rabbitmq/queue.ts';
