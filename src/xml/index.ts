export { isNameCharacter, isNameStart, isXmlText } from './characters.ts';
export {
  parseXml,
  parseXmlLazily,
  positionAt,
  positionOfAttribute,
  positionOfElement,
  XmlError,
  type XmlParseOptions,
} from './parse.ts';
export { escapeAttribute, escapeText, serializeAll, serializeXml } from './serialize.ts';
export {
  bodyOf,
  createEnvelope,
  faultOf,
  headerOf,
  soap11Namespace,
  soap12Namespace,
  soapVersionOf,
  type SoapVersion,
} from './soap.ts';
export * from './tree.ts';
export { SourceNode, type ProblemOptions, type Report } from './source-node.ts';
