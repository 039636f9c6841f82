import type { SourceNode } from '#xml';
import type { CompileContext } from '../../context.ts';
import type { StoreDefinition } from '../definition.ts';
import type { MessageStore } from '../message-store.ts';
import { parameterOf, textParameter, type Parameters } from '../parameters.ts';
import { checkJdbc, jdbcParameters, jdbcStoreOptions } from './jdbc-parameters.ts';
import { createJdbcStore } from './jdbc.ts';
import { checkJms, jmsParameters, openJmsStore } from './jms.ts';
import { checkRabbitmq, openRabbitmqStore, rabbitmqParameters } from './rabbitmq.ts';
import { createResequenceStore } from './resequence.ts';
import { sequenceNumberOf } from './sequence-number.ts';

/** One kind of message store, by the classes of the original. */
export interface StoreKind {
  /** The class, then its other names. */
  readonly classes: readonly string[];
  /** Parameters besides those of every kind; `*` at the end stands for any rest. */
  readonly parameters: readonly string[];
  check?(node: SourceNode, parameters: Parameters): void;
  open(definition: StoreDefinition, context: CompileContext): MessageStore;
}

const implementations = 'org.apache.synapse.message.store.impl';

/** Every kind of store, the default one first. */
export const storeKinds: readonly StoreKind[] = [
  {
    classes: [`${implementations}.memory.InMemoryStore`, 'org.apache.synapse.message.store.InMemoryMessageStore'],
    parameters: [],
    open: ({ name, className }, { services }) =>
      services.background.stores.memory(name, className ?? `${implementations}.memory.InMemoryStore`),
  },
  {
    classes: [`${implementations}.jdbc.JDBCMessageStore`],
    parameters: jdbcParameters,
    check: checkJdbc,
    open: (definition, context) => createJdbcStore(jdbcStoreOptions(definition, context)),
  },
  {
    classes: [`${implementations}.resequencer.ResequenceMessageStore`],
    parameters: [...jdbcParameters, 'store.resequence.id.path', 'store.resequence.timeout'],
    check(node, parameters) {
      checkJdbc(node, parameters);
      if (!parameterOf(parameters, 'store.resequence.id.path')?.expression) {
        node.error('the parameter "store.resequence.id.path" with an "expression" is required', {
          code: 'MR_PARAMETER_MISSING',
        });
      }
    },
    open(definition, context) {
      const { parameters } = definition;
      const seconds = Number(textParameter(parameters, 'store.resequence.timeout') ?? -1);
      return createResequenceStore({
        ...jdbcStoreOptions(definition, context),
        idOf: sequenceNumberOf(parameters, context),
        timeout: seconds * 1000,
        clock: context.services.clock,
      });
    },
  },
  {
    classes: [`${implementations}.jms.JmsStore`, 'org.wso2.carbon.message.store.persistence.jms.JMSMessageStore'],
    parameters: jmsParameters,
    check: checkJms,
    open: openJmsStore,
  },
  {
    classes: [`${implementations}.rabbitmq.RabbitMQStore`],
    parameters: rabbitmqParameters,
    check: checkRabbitmq,
    open: openRabbitmqStore,
  },
];

/** The kind of a class; the first one without a class. */
export function classOf(className: string | undefined): StoreKind | undefined {
  if (className === undefined) return storeKinds[0];
  return storeKinds.find(({ classes }) => classes.includes(className.trim()));
}
