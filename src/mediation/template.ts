import type { XmlElement } from '#xml';
import type { Compiled } from './mediator.ts';

export interface TemplateParameter {
  readonly name: string;
  readonly mandatory: boolean;
  readonly defaultValue: string | undefined;
  readonly description: string | undefined;
}

/** A sequence template ready to be called. */
export interface SequenceTemplate {
  readonly name: string;
  readonly parameters: readonly TemplateParameter[];
  readonly run: Compiled;
}

/** An endpoint template, from which endpoints are made with values of their own (runtime-core 5.1). */
export interface EndpointTemplate {
  readonly name: string;
  /** What stands in the body as `$name`, besides `$name` and `$uri` themselves. */
  readonly parameters: readonly TemplateParameter[];
  readonly body: XmlElement;
  /** The document of the template, so that what is wrong with an endpoint made from it can be shown. */
  readonly file: string;
  readonly source: string;
}
