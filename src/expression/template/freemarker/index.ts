import type { Scope } from '../../scope.ts';
import { compilePayloadTemplate, type PayloadTemplateOptions } from '../payload-arguments.ts';
import { compileTemplate } from './compile.ts';
import { createDataModel, type ScopeNames } from './data-model.ts';

export type { ScopeNames } from './data-model.ts';
export { TemplateFailure, TemplateSyntaxError } from './errors.ts';

/** A FreeMarker template of a payloadFactory; `names` lets it list properties, headers and variables. */
export type FreemarkerTemplate = (scope: Scope, names?: ScopeNames) => string;

/**
 * Compiles the FreeMarker template of a payloadFactory. Arguments are prepared as for the default engine.
 *
 * @throws TemplateSyntaxError with line and column; when it is run, TemplateFailure
 */
export function compileFreemarker(format: string, options: PayloadTemplateOptions): FreemarkerTemplate {
  const template = compileTemplate(format);
  const args = options.args.map((_, index) => compilePayloadTemplate(`$${index + 1}`, options));
  return (scope, names) => {
    const root = createDataModel(scope, {
      args: args.map((render) => () => render(scope)),
      escapesText: options.media === 'xml',
      ...(names ? { names } : {}),
    });
    return template({ root, now: scope.now(), timeZone: scope.timeZone?.() ?? 'UTC' });
  };
}
