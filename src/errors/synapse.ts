/**
 * The numeric error codes of the original runtime, as artifacts read them in `ERROR_CODE` and list them in
 * `suspendOnFailure` and `markForSuspension`.
 */
export const synapseCodes = {
  mediation: 0,
  receiverIoSending: 101000,
  receiverIoReceiving: 101001,
  senderIoSending: 101500,
  senderIoReceiving: 101501,
  connectionFailed: 101503,
  connectionTimedOut: 101504,
  connectionClosed: 101505,
  protocolViolation: 101506,
  connectCancelled: 101507,
  connectTimeout: 101508,
  sendAborted: 101509,
  responseProcessing: 101510,
  groupNotReady: 303000,
  endpointNotReady: 303001,
  wsdlEndpointNotReady: 303002,
  endpointAuthentication: 303003,
  endpointKeyNotFound: 305100,
  sessionEndpointNotReady: 309001,
  sessionFailed: 309003,
  calloutFailed: 401000,
  blockingCallFailed: 401001,
  blockingSenderFailed: 401002,
  nonBlockingCallFailed: 401003,
  badPercentEncoding: 400,
  endpointCustomError: 500000,
  templateParameterMissing: 500101,
  parsing: 601000,
} as const;

/**
 * How far an exchange with a back end had come when it failed. The original adds this ordinal to the base code of
 * transport errors: a timeout while waiting for the reply is 101504 + 3 = 101507.
 */
export const protocolStates = {
  requestReady: 0,
  requestHead: 1,
  requestBody: 2,
  requestDone: 3,
  responseHead: 4,
  responseBody: 5,
  responseDone: 6,
  closing: 7,
  closed: 8,
} as const;

export type ProtocolState = (typeof protocolStates)[keyof typeof protocolStates];
