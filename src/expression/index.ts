export { compileExpression, compileJsonExpression } from './compile.ts';
export { EvaluationError, ExpressionError } from './error.ts';
export type { CompileOptions, Expression, ExpressionValue } from './expression.ts';
export { compileInlineTemplate, type InlineTemplate } from './inline.ts';
export { jsonResultText } from './json-eval.ts';
export {
  addAt,
  compileJsonPath,
  removeAt,
  renameAt,
  setAt,
  type JsonPath,
  type JsonReference,
} from './jsonpath/index.ts';
export type { PropertyScope, Scope, VaultAddress } from './scope.ts';
export { silentScope } from './silent-scope.ts';
export { isNodeList, isXmlNode, textOf, toJson } from './text.ts';
export { compileValue, type ValueExpression } from './value.ts';
export {
  compileXPath,
  isNodeSet,
  type Namespaces,
  type XPath,
  type XPathAttribute,
  type XPathNode,
  type XPathValue,
} from './xpath/index.ts';
export { compileFreemarker, TemplateSyntaxError, type ScopeNames } from './template/freemarker/index.ts';
export { compilePathTemplate, type PathTemplate, type PathTemplateOptions } from './template/path-template.ts';
export {
  compilePayloadTemplate,
  type PayloadArgument,
  type PayloadTemplateOptions,
} from './template/payload-arguments.ts';
export { compileUriTemplate, type UriTemplate } from './template/uri-template.ts';
export { allowXPath2 } from './xpath2/switch.ts';
