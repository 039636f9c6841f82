import type { Builder } from '../builders/index.ts';
import type { Formatter } from '../formatters/index.ts';
import { builderClasses, formatterClasses } from './class-map.ts';
import { builtInBuilder, builtInFormatter } from './message-formats.ts';

/** The built-in builder that does what a class of the original does; undefined for other classes. */
export function builderOfClass(className: string): Builder | undefined {
  const kind = Object.hasOwn(builderClasses, className) ? builderClasses[className] : undefined;
  return kind && builtInBuilder(kind);
}

/** The built-in formatter that does what a class of the original does; undefined for other classes. */
export function formatterOfClass(className: string): Formatter | undefined {
  const kind = Object.hasOwn(formatterClasses, className) ? formatterClasses[className] : undefined;
  return kind && builtInFormatter(kind);
}

/** Names of the classes that are known. */
export const builtInClasses = {
  builders: Object.keys(builderClasses),
  formatters: Object.keys(formatterClasses),
} as const;
