import { textOf, type PropertyScope } from '#expression';
import type { Message } from './message.ts';
import { removeHeader, setHeader } from './header-list.ts';

/** Scopes that can be written (mediators 2.2). */
export type WritableScope = Exclude<PropertyScope, 'env' | 'file' | 'func'>;

/** Properties of scope axis2 whose setting does more than store a value (runtime-core 4.3). */
const axis2Effects: ReadonlyMap<string, (message: Message, value: unknown) => void> = new Map([
  [
    'messageType',
    (message: Message, value: unknown) => {
      const type = textOf(value);
      message.axis2.set('ContentType', type);
      setHeader(message.headers, 'Content-Type', type);
    },
  ],
]);

/**
 * Sets a property as the property mediator does. Null is stored as absence in the default and axis2 scopes and as an
 * empty string among the transport headers.
 */
export function setProperty(message: Message, target: { scope: WritableScope; name: string }, value: unknown): void {
  const { scope, name } = target;
  switch (scope) {
    case 'default':
      if (value !== null && value !== undefined) message.properties.set(name, value);
      return;
    case 'axis2':
    case 'axis2-client':
      if (value === null || value === undefined) message.axis2.delete(name);
      else {
        message.axis2.set(name, value);
        axis2Effects.get(name)?.(message, value);
      }
      return;
    case 'transport':
      setHeader(message.headers, name, textOf(value));
      return;
    case 'operation':
      message.exchange.operation.set(name, value);
      return;
    case 'registry':
    case 'system':
      message.exchange.environment.store(scope, name, textOf(value));
      return;
    case 'analytics':
    case 'trace':
      return;
  }
}

/** Removes a property; names that do not exist are no error. */
export function removeProperty(message: Message, target: { scope: WritableScope; name: string }): void {
  const { scope, name } = target;
  if (scope === 'default') message.properties.delete(name);
  else if (scope === 'transport') removeHeader(message.headers, name);
  else if (scope === 'operation') message.exchange.operation.delete(name);
  else if (scope === 'axis2' || scope === 'axis2-client') {
    message.axis2.delete(name);
    if (name === 'TRANSPORT_HEADERS') message.headers = [];
  }
}
