import { parseJdbcUrl } from '#core/java';
import type { Database, PoolOptions } from '#db';
import { messageOf } from '#errors';
import { appendChild, type SourceNode, type XmlElement } from '#xml';
import type { CompileContext, CompileLibrary } from '../../context.ts';
import { synapseElement, textElement } from '../../reading.ts';
import { deployNode, isDeployValue, resolveDeployValue } from '../deploy-value.ts';

/** A text of a `<pool>`: written there, or the key of a resource that holds it. */
interface PoolText {
  readonly text: string;
  readonly key: string | undefined;
}

const textNames = ['dsName', 'icClass', 'driver', 'url', 'user', 'password'] as const;

/** A `<property>` of a `<pool>`. */
interface PoolProperty {
  readonly name: string;
  readonly value: string;
  readonly node: SourceNode;
}

/** The `<connection>` of a database mediator (mediators 7.2). */
export interface ConnectionDefinition {
  readonly texts: ReadonlyMap<(typeof textNames)[number], PoolText>;
  readonly properties: readonly PoolProperty[];
}

/** A database of a mediator, opened when the first message needs it. */
export interface CompiledConnection {
  /** How faults name it. */
  readonly name: string;
  /** Whether each statement is a transaction of its own. */
  readonly autoCommit: boolean;
  open(): Promise<Database>;
}

/** Pool properties that change something here, and those of the original that do not. */
const poolReaders: Readonly<Record<string, ((text: string) => Partial<PoolOptions>) | undefined>> = {
  maxactive: (text) => ({ maxActive: Number(text) }),
  maxwait: (text) => ({ maxWait: Number(text) }),
  maxidle: (text) => ({ maxIdle: Number(text) }),
  testonborrow: (text) => ({ testOnBorrow: text === 'true' }),
  validationquery: (text) => ({ validationQuery: text }),
};
const otherProperties = new Set(
  'autocommit isolation initialsize maxopenstatements minidle poolstatements testonreturn testwhileidle'.split(' '),
);
const numericProperties = new Set(['maxactive', 'maxwait', 'maxidle']);

const flags = ['true', 'false'];
/** The values of those properties that take only some; any other means as much as none. */
const allowedValues: Readonly<Record<string, readonly string[] | undefined>> = {
  autocommit: flags,
  testonborrow: flags,
  testonreturn: flags,
  testwhileidle: flags,
  poolstatements: flags,
  isolation: ['NONE', 'READ_UNCOMMITTED', 'READ_COMMITTED', 'REPEATABLE_READ', 'SERIALIZABLE'].map(
    (level) => `Connection.TRANSACTION_${level}`,
  ),
};

export function readConnection(node: SourceNode): ConnectionDefinition {
  const pool = node.child('connection')?.child('pool');
  if (!pool) node.error(`<${node.local}> needs a <connection> with a <pool>`, { code: 'MR_DB_CONNECTION' });
  pool?.knowOnlyChildren([...textNames, 'property']);
  const texts = new Map<(typeof textNames)[number], PoolText>();
  for (const name of textNames) {
    const child = pool?.child(name);
    if (child) texts.set(name, { text: child.text(), key: child.attribute('key') });
  }
  if (pool) checkConnection(pool, texts);
  return { texts, properties: (pool?.childrenNamed('property') ?? []).map(readProperty) };
}

function checkConnection(pool: SourceNode, texts: ConnectionDefinition['texts']): void {
  const url = texts.get('url');
  if (texts.has('dsName')) {
    for (const name of textNames) {
      if (name === 'dsName' || !texts.has(name)) continue;
      const message = `<${name}> is ignored, because <dsName> names a data source of this server`;
      pool.child(name)?.warn(message, { code: 'MR_DB_CONNECTION' });
    }
  }
  if (!texts.has('dsName') && !url) pool.error('<pool> needs a <dsName> or a <url>', { code: 'MR_DB_CONNECTION' });
  if (!url || url.key !== undefined || !url.text.startsWith('jdbc:') || texts.has('dsName')) return;
  try {
    parseJdbcUrl(url.text);
  } catch (error) {
    pool.child('url')?.error(messageOf(error), { code: 'MR_DB_CONNECTION' });
  }
}

function readProperty(node: SourceNode): PoolProperty {
  const name = node.required('name');
  const value = node.attribute('value') ?? '';
  const known = name.toLowerCase();
  if (name !== '' && !poolReaders[known] && !otherProperties.has(known)) {
    node.warn(`a pool has no property "${name}"; it is ignored`, { attribute: 'name' });
  }
  if (!isDeployValue(value)) checkValue(node, name, value);
  return { name, value, node };
}

/** A number that is none is reported, and a word that means nothing is named. */
function checkValue(node: SourceNode, name: string, value: string): void {
  if (numericProperties.has(name.toLowerCase()) && !/^-?\d{1,9}$/.test(value)) {
    node.error(`"${name}" must be a whole number, found "${value}"`, { attribute: 'value' });
  }
  const allowed = allowedValues[name.toLowerCase()];
  if (allowed && value !== '' && !allowed.includes(value)) {
    const message = `"${name}" must be one of ${allowed.join(', ')}; "${value}" means nothing`;
    node.warn(message, { attribute: 'value', code: 'MR_DB_CONNECTION' });
  }
}

/** The value in this deployment. @throws ProblemsError at its place for a number that is none */
function deployedValue({ name, value, node }: PoolProperty, library: CompileLibrary): string {
  if (!isDeployValue(value)) return value;
  const text = resolveDeployValue(value, library).trim();
  checkValue(deployNode(node), name, text);
  return text;
}

export function serializeConnection({ texts, properties }: ConnectionDefinition): XmlElement {
  const pool = synapseElement('pool');
  for (const [name, { text, key }] of texts) {
    const child = text === '' ? synapseElement(name) : textElement(name, text);
    if (key !== undefined) child.attributes.push({ prefix: '', local: 'key', uri: '', value: key });
    appendChild(pool, child);
  }
  for (const { name, value } of properties) appendChild(pool, synapseElement('property', { name, value }));
  return synapseElement('connection', {}, [pool]);
}

/** Compiles a connection: texts are resolved when the first message needs the database, so that keys may come late. */
export function compileConnection(
  { texts, properties }: ConnectionDefinition,
  { library, services }: CompileContext,
): CompiledConnection {
  const { dataSources } = services.background;
  const valueOf = (name: (typeof textNames)[number]): string | undefined => {
    const found = texts.get(name);
    if (!found) return undefined;
    const text = found.key === undefined ? found.text : (library.resource(found.key) ?? '').trim();
    return resolveDeployValue(text, library);
  };
  const pool: PoolOptions = Object.assign(
    {},
    ...properties.map((property) => poolReaders[property.name.toLowerCase()]?.(deployedValue(property, library)) ?? {}),
  );
  const autoCommit = properties.findLast(({ name }) => name.toLowerCase() === 'autocommit');
  return {
    name: texts.get('dsName')?.text ?? texts.get('url')?.text ?? '',
    autoCommit: autoCommit !== undefined && deployedValue(autoCommit, library) === 'true',
    async open() {
      const dataSource = valueOf('dsName');
      if (dataSource !== undefined && dataSource !== '') return dataSources.named(dataSource);
      return dataSources.connect({
        url: valueOf('url') ?? '',
        username: valueOf('user'),
        password: valueOf('password'),
        pool,
      });
    },
  };
}
