/** How a field of a command stands in loose encoding. */
export type FieldKind =
  | 'boolean'
  | 'byte'
  | 'int'
  | 'long'
  /** Text, or nothing. */
  | 'text'
  /** Bytes with their number, or nothing. */
  | 'bytes'
  /** Another structure of the table with its type, or nothing. */
  | 'object'
  /** Several of them, or nothing. */
  | 'objects'
  /** Class and message of a Java exception, or nothing. */
  | 'throwable'
  /** The eight bytes with which a `WireFormatInfo` begins. */
  | 'magic';

export type Fields = readonly (readonly [name: string, kind: FieldKind])[];

export interface CommandType {
  readonly code: number;
  readonly fields: Fields;
}

const command: Fields = [
  ['commandId', 'int'],
  ['responseRequired', 'boolean'],
];

const message: Fields = [
  ...command,
  ['producerId', 'object'],
  ['destination', 'object'],
  ['transactionId', 'object'],
  ['originalDestination', 'object'],
  ['messageId', 'object'],
  ['originalTransactionId', 'object'],
  ['groupID', 'text'],
  ['groupSequence', 'int'],
  ['correlationId', 'text'],
  ['persistent', 'boolean'],
  ['expiration', 'long'],
  ['priority', 'byte'],
  ['replyTo', 'object'],
  ['timestamp', 'long'],
  ['type', 'text'],
  ['content', 'bytes'],
  ['marshalledProperties', 'bytes'],
  ['dataStructure', 'object'],
  ['targetConsumerId', 'object'],
  ['compressed', 'boolean'],
  ['redeliveryCounter', 'int'],
  ['brokerPath', 'objects'],
  ['arrival', 'long'],
  ['userID', 'text'],
  ['receivedByDFBridge', 'boolean'],
  ['droppable', 'boolean'],
  ['cluster', 'objects'],
  ['brokerInTime', 'long'],
  ['brokerOutTime', 'long'],
  ['groupFirstForConsumer', 'boolean'],
];

const destination: Fields = [['physicalName', 'text']];
const response: Fields = [...command, ['correlationId', 'int']];

/**
 * The commands and structures of OpenWire that a client meets, as version 10 of the protocol has them. Brokers since
 * ActiveMQ 5.8 agree on this version with a client that offers it.
 */
export const commandTypes = {
  WireFormatInfo: {
    code: 1,
    fields: [
      ['magic', 'magic'],
      ['version', 'int'],
      ['marshalledProperties', 'bytes'],
    ],
  },
  BrokerInfo: {
    code: 2,
    fields: [
      ...command,
      ['brokerId', 'object'],
      ['brokerURL', 'text'],
      ['peerBrokerInfos', 'objects'],
      ['brokerName', 'text'],
      ['slaveBroker', 'boolean'],
      ['masterBroker', 'boolean'],
      ['faultTolerantConfiguration', 'boolean'],
      ['duplexConnection', 'boolean'],
      ['networkConnection', 'boolean'],
      ['connectionId', 'long'],
      ['brokerUploadUrl', 'text'],
      ['networkProperties', 'text'],
    ],
  },
  ConnectionInfo: {
    code: 3,
    fields: [
      ...command,
      ['connectionId', 'object'],
      ['clientId', 'text'],
      ['password', 'text'],
      ['userName', 'text'],
      ['brokerPath', 'objects'],
      ['brokerMasterConnector', 'boolean'],
      ['manageable', 'boolean'],
      ['clientMaster', 'boolean'],
      ['faultTolerant', 'boolean'],
      ['failoverReconnect', 'boolean'],
      ['clientIp', 'text'],
    ],
  },
  SessionInfo: { code: 4, fields: [...command, ['sessionId', 'object']] },
  ConsumerInfo: {
    code: 5,
    fields: [
      ...command,
      ['consumerId', 'object'],
      ['browser', 'boolean'],
      ['destination', 'object'],
      ['prefetchSize', 'int'],
      ['maximumPendingMessageLimit', 'int'],
      ['dispatchAsync', 'boolean'],
      ['selector', 'text'],
      ['clientId', 'text'],
      ['subscriptionName', 'text'],
      ['noLocal', 'boolean'],
      ['exclusive', 'boolean'],
      ['retroactive', 'boolean'],
      ['priority', 'byte'],
      ['brokerPath', 'objects'],
      ['additionalPredicate', 'object'],
      ['networkSubscription', 'boolean'],
      ['optimizedAcknowledge', 'boolean'],
      ['noRangeAcks', 'boolean'],
      ['networkConsumerPath', 'objects'],
    ],
  },
  ProducerInfo: {
    code: 6,
    fields: [
      ...command,
      ['producerId', 'object'],
      ['destination', 'object'],
      ['brokerPath', 'objects'],
      ['dispatchAsync', 'boolean'],
      ['windowSize', 'int'],
    ],
  },
  KeepAliveInfo: { code: 10, fields: command },
  ShutdownInfo: { code: 11, fields: command },
  DestinationInfo: {
    code: 8,
    fields: [
      ...command,
      ['connectionId', 'object'],
      ['destination', 'object'],
      ['operationType', 'byte'],
      ['timeout', 'long'],
      ['brokerPath', 'objects'],
    ],
  },
  RemoveInfo: { code: 12, fields: [...command, ['objectId', 'object'], ['lastDeliveredSequenceId', 'long']] },
  ControlCommand: { code: 14, fields: [...command, ['command', 'text']] },
  ConnectionError: { code: 16, fields: [...command, ['exception', 'throwable'], ['connectionId', 'object']] },
  ConsumerControl: {
    code: 17,
    fields: [
      ...command,
      ['destination', 'object'],
      ['close', 'boolean'],
      ['consumerId', 'object'],
      ['prefetch', 'int'],
      ['flush', 'boolean'],
      ['start', 'boolean'],
      ['stop', 'boolean'],
    ],
  },
  ConnectionControl: {
    code: 18,
    fields: [
      ...command,
      ['close', 'boolean'],
      ['exit', 'boolean'],
      ['faultTolerant', 'boolean'],
      ['resume', 'boolean'],
      ['suspend', 'boolean'],
      ['connectedBrokers', 'text'],
      ['reconnectTo', 'text'],
      ['rebalanceConnection', 'boolean'],
      ['token', 'bytes'],
    ],
  },
  ProducerAck: { code: 19, fields: [...command, ['producerId', 'object'], ['size', 'int']] },
  MessageDispatch: {
    code: 21,
    fields: [
      ...command,
      ['consumerId', 'object'],
      ['destination', 'object'],
      ['message', 'object'],
      ['redeliveryCounter', 'int'],
    ],
  },
  MessageAck: {
    code: 22,
    fields: [
      ...command,
      ['destination', 'object'],
      ['transactionId', 'object'],
      ['consumerId', 'object'],
      ['ackType', 'byte'],
      ['firstMessageId', 'object'],
      ['lastMessageId', 'object'],
      ['messageCount', 'int'],
      ['poisonCause', 'throwable'],
    ],
  },
  Message: { code: 23, fields: message },
  BytesMessage: { code: 24, fields: message },
  MapMessage: { code: 25, fields: message },
  ObjectMessage: { code: 26, fields: message },
  StreamMessage: { code: 27, fields: message },
  TextMessage: { code: 28, fields: message },
  BlobMessage: {
    code: 29,
    fields: [...message, ['remoteBlobUrl', 'text'], ['mimeType', 'text'], ['deletedByBroker', 'boolean']],
  },
  Response: { code: 30, fields: response },
  ExceptionResponse: { code: 31, fields: [...response, ['exception', 'throwable']] },
  DataResponse: { code: 32, fields: [...response, ['data', 'object']] },
  Queue: { code: 100, fields: destination },
  Topic: { code: 101, fields: destination },
  TempQueue: { code: 102, fields: destination },
  TempTopic: { code: 103, fields: destination },
  MessageId: {
    code: 110,
    fields: [
      ['textView', 'text'],
      ['producerId', 'object'],
      ['producerSequenceId', 'long'],
      ['brokerSequenceId', 'long'],
    ],
  },
  LocalTransactionId: {
    code: 111,
    fields: [
      ['value', 'long'],
      ['connectionId', 'object'],
    ],
  },
  XATransactionId: {
    code: 112,
    fields: [
      ['formatId', 'int'],
      ['globalTransactionId', 'bytes'],
      ['branchQualifier', 'bytes'],
    ],
  },
  ConnectionId: { code: 120, fields: [['value', 'text']] },
  SessionId: {
    code: 121,
    fields: [
      ['connectionId', 'text'],
      ['value', 'long'],
    ],
  },
  ConsumerId: {
    code: 122,
    fields: [
      ['connectionId', 'text'],
      ['sessionId', 'long'],
      ['value', 'long'],
    ],
  },
  ProducerId: {
    code: 123,
    fields: [
      ['connectionId', 'text'],
      ['value', 'long'],
      ['sessionId', 'long'],
    ],
  },
  BrokerId: { code: 124, fields: [['value', 'text']] },
} as const satisfies Readonly<Record<string, CommandType>>;

export type CommandName = keyof typeof commandTypes;

/** The version of the protocol of which the table is. */
export const protocolVersion = 10;
