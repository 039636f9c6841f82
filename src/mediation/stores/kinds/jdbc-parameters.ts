import { parseJdbcUrl } from '#core/java';
import { jdbcOption } from '#core/java';
import { MillraceError, messageOf } from '#errors';
import type { SourceNode } from '#xml';
import type { CompileContext } from '../../context.ts';
import { isDeployValue } from '../../shared/deploy-value.ts';
import type { StoreDefinition } from '../definition.ts';
import { textParameter, type Parameters } from '../parameters.ts';
import { tableName, type JdbcStoreOptions } from './jdbc.ts';

export const jdbcParameters: readonly string[] = [
  'store.jdbc.driver',
  'store.jdbc.connection.url',
  'store.jdbc.username',
  'store.jdbc.password',
  'store.jdbc.dsName',
  'store.jdbc.icClass',
  'store.jdbc.table',
];

const defaultTable = 'jdbc_message_store';

/** Reports what keeps a JDBC store from being opened: no connection, a name that is no table, an unsafe URL. */
export function checkJdbc(node: SourceNode, parameters: Parameters): void {
  const url = textParameter(parameters, 'store.jdbc.connection.url');
  const dataSource = textParameter(parameters, 'store.jdbc.dsName');
  const table = textParameter(parameters, 'store.jdbc.table') ?? defaultTable;
  if (url === undefined && dataSource === undefined) {
    const message = 'a JDBC store needs "store.jdbc.connection.url" or "store.jdbc.dsName"';
    node.error(message, { code: 'MR_PARAMETER_MISSING' });
  }
  for (const check of [
    () => isDeployValue(table) || tableName(table),
    () => url === undefined || !url.startsWith('jdbc:') || refuseInit(url),
  ]) {
    try {
      check();
    } catch (error) {
      node.error(messageOf(error), { code: 'MR_PARAMETER_VALUE' });
    }
  }
}

/** What a JDBC store is opened with; its parameters are resolved when the store is first used. */
export function jdbcStoreOptions(definition: StoreDefinition, context: CompileContext): JdbcStoreOptions {
  const { name, className = '', parameters } = definition;
  const { services } = context;
  const valueOf = (parameter: string): string | undefined => textParameter(parameters, parameter);
  const dataSource = valueOf('store.jdbc.dsName');
  const facts = {
    url: valueOf('store.jdbc.connection.url') ?? '',
    username: valueOf('store.jdbc.username'),
    password: valueOf('store.jdbc.password'),
  };
  if (dataSource === undefined) refuseInit(facts.url);
  const { dataSources } = services.background;
  return {
    name,
    className,
    table: tableName(valueOf('store.jdbc.table') ?? defaultTable),
    database: () => (dataSource === undefined ? dataSources.connect(facts) : dataSources.named(dataSource)),
  };
}

/** A URL that runs statements when it connects is refused, as by the original. */
function refuseInit(url: string): void {
  if (jdbcOption(parseJdbcUrl(url), 'INIT') === undefined) return;
  throw new MillraceError({ code: 'MR_STORE_URL', message: 'a database URL with INIT is refused' });
}
