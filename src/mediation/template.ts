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
