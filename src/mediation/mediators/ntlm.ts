import { hostname } from 'node:os';
import type { Message } from '#message';
import { CONTINUE } from '../flow.ts';
import { defineMediator } from '../mediator.ts';
import { setNtlmCredentials } from '../ntlm-credentials.ts';
import { declareNamespaces, readValue, synapseElement, type ValueSource } from '../reading.ts';

const names = ['username', 'password', 'host', 'domain', 'ntlmVersion'] as const;
type Name = (typeof names)[number];

interface Definition {
  readonly values: Readonly<Partial<Record<Name, ValueSource>>>;
}

/** `<NTLM>`: by whom the following blocking calls are made, where the back end asks by NTLM (mediators 8). */
export const ntlm = defineMediator<Definition>({
  element: 'NTLM',
  attributes: names,
  children: [],
  needsBody: ({ values }) => Object.values(values).some(({ value }) => value.contentAware),
  parse(node) {
    const values: Partial<Record<Name, ValueSource>> = {};
    for (const name of names) {
      const value = readValue(node, name);
      if (value) values[name] = value;
    }
    for (const name of ['username', 'password'] as const) node.required(name);
    const version = values.ntlmVersion?.value.literal;
    if (version !== undefined && !/^(?:NTLM)?v?2$/i.test(version.trim())) {
      node.error(`only version 2 of NTLM is spoken, since version 1 can be broken; found "${version}"`, {
        attribute: 'ntlmVersion',
        code: 'MR_NTLM_VERSION',
      });
    }
    return { values };
  },
  serialize({ values }) {
    const attributes = Object.fromEntries(names.map((name) => [name, values[name]?.text]));
    return declareNamespaces(synapseElement('NTLM', attributes), Object.values(values));
  },
  compile: ({ values }) => {
    const textOf = (message: Message, name: Name): string => values[name]?.value.evaluate(message) ?? '';
    return (message) => {
      setNtlmCredentials(message, {
        user: textOf(message, 'username'),
        password: textOf(message, 'password'),
        domain: textOf(message, 'domain'),
        host: textOf(message, 'host') || hostname(),
      });
      return CONTINUE;
    };
  },
});
