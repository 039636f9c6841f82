export { bodySourceOf, readBody, type Body, type BodySink, type BodySource, type Trailers } from './body.ts';
export { isSoapMediaType, mediaTypeOf, parameterOf } from './content-type.ts';
export { copyPlaces, type FaultHandlers, type MessageBranch, type Place } from './course.ts';
export { FlowCount, type FlowScope } from './flow-count.ts';
export { noteIncident, type Incident } from './incident.ts';
export type { MessageEnvironment, MessageExchange } from './exchange.ts';
export type { Attachment, AttachmentSettings } from './attachments.ts';
export type { Builder, BuilderInput, Built } from './builders/index.ts';
export { encodeBody } from './charset.ts';
export { builderOfClass, builtInClasses, formatterOfClass } from './formats/built-in-class.ts';
export { readMessageFormats } from './formats/configured-formats.ts';
export {
  createMessageFormats,
  defaultFormats,
  type FormatOptions,
  type MessageFormats,
} from './formats/message-formats.ts';
export type { Formatted, FormattedBody, Formatter, FormatterInput } from './formatters/index.ts';
export { getAllHeaders, getHeader, indexOfHeader, removeHeader, setHeader, type HeaderList } from './header-list.ts';
export { LateParameter, Message, noAddressing, type Addressing, type TemplateFrame } from './message.ts';
export { PayloadError } from './payload-error.ts';
export { Payload, type PayloadOrigin, type ReadingOptions } from './payload.ts';
export { removeProperty, setProperty, type WritableScope } from './set-property.ts';
export { convertedEnvelope } from './soap-version.ts';
export { isBinaryWrapper, isTextWrapper, payloadNamespace, wrapBinary, wrapText } from './wrappers.ts';
