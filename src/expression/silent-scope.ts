import { XmlElement } from '#xml';
import type { Scope } from './scope.ts';

/** A message without anything in it, for expressions that look at a node alone. */
export const silentScope: Scope = {
  envelope: () => new XmlElement('none'),
  hasJson: () => false,
  json: () => undefined,
  jsonAt: () => undefined,
  jsonText: () => undefined,
  property: () => undefined,
  header: () => undefined,
  variable: () => undefined,
  hasVariable: () => false,
  templateParameter: () => undefined,
  configuration: () => undefined,
  resource: () => undefined,
  resourceProperty: () => undefined,
  secret: () => undefined,
  vaultSecret: () => '',
  to: () => '',
  now: () => 0,
  warn: () => undefined,
};
