import { cloneNode, namespacesInScope, type XmlElement } from '#xml';
import { CONTINUE } from '../flow.ts';
import { defineMediator, type AnyMediatorType } from '../mediator.ts';

/** Mediators that only make sense in a Java virtual machine, and what does their work here (mediators 4.9, 8). */
const replacements: Readonly<Record<string, string>> = {
  annotatedCommand: 'write the command as a class mediator of the extensions, or as a pojoCommand with actions',
  bean: 'keep the values in variables with <variable>, or in a class mediator of the extensions',
  ejb: 'call the bean over HTTP with <call>, or write a class mediator of the extensions',
  smooks: 'transform the message with <datamapper>, <script> or <payloadFactory>',
  spring: 'write the bean as a class mediator of the extensions',
};

const knownAttributes: Readonly<Record<string, readonly string[]>> = {
  annotatedCommand: ['name'],
  bean: ['var', 'action', 'class', 'replace', 'property', 'value', 'target'],
  ejb: ['beanstalk', 'class', 'id', 'stateful', 'remove', 'jndiName', 'method', 'target'],
  smooks: ['config-key', 'persistence-unit'],
  spring: ['bean', 'key'],
};

/** A copy that declares every prefix in scope, so that expressions in it keep their meaning. */
function selfContained(element: XmlElement): XmlElement {
  const copy = cloneNode(element);
  for (const [prefix, uri] of namespacesInScope(element)) {
    const isDeclared = copy.declarations.some((declaration) => declaration.prefix === prefix);
    if (!isDeclared && uri !== '') copy.declarations.push({ prefix, uri });
  }
  return copy;
}

/** They are read and written back as they are; what contains them is not deployed. */
export const unsupportedMediators: readonly AnyMediatorType[] = Object.entries(replacements).map(([element, instead]) =>
  defineMediator<XmlElement>({
    element,
    attributes: knownAttributes[element] ?? [],
    needsBody: () => false,
    parse(node) {
      node.error(`<${element}> needs a Java virtual machine and is not supported`, {
        code: 'MR_MEDIATOR_UNSUPPORTED',
        hint: instead,
      });
      return selfContained(node.element);
    },
    serialize: (definition) => cloneNode(definition),
    compile: () => () => CONTINUE,
  }),
);
