export { bodySourceOf, readBody, type Body, type BodySink, type BodySource } from './body.ts';
export { isSoapMediaType, mediaTypeOf, parameterOf } from './content-type.ts';
export type { MessageEnvironment, MessageExchange } from './exchange.ts';
export { findFormatter, type Formatter } from './formatters/index.ts';
export { getAllHeaders, getHeader, indexOfHeader, removeHeader, setHeader, type HeaderList } from './header-list.ts';
export { LateParameter, Message, type Addressing, type TemplateFrame } from './message.ts';
export { Payload, PayloadError, type PayloadOrigin } from './payload.ts';
export { removeProperty, setProperty, type WritableScope } from './set-property.ts';
export { isBinaryWrapper, isTextWrapper, payloadNamespace, wrapBinary, wrapText } from './wrappers.ts';
