import { createHome } from '#core';
import { createDataSources } from '#db';
import { messageOf } from '#errors';
import type { Config } from '#config';
import { readDataSources } from '../../src/server/data-sources.ts';
import type { EffectRow } from './effect-row.ts';

const named = '[database.shop]\n';
const memory = 'url = "jdbc:h2:mem:effect"\n';
const source = `[[datasource]]\n`;

/** What comes of a query on a data source: rows, or why there are none. */
async function ask(config: Config, name: string, sql = 'SELECT 1 AS one'): Promise<string> {
  await using sources = createDataSources(createHome('.'), readDataSources(config));
  try {
    const database = await sources.named(name);
    return JSON.stringify(await database.all(sql));
  } catch (error) {
    const detail = (error as { detail?: string }).detail ?? '';
    return `${messageOf(error)} ${detail}`;
  }
}

/** A port at which nothing answers: the address is part of the failure. */
const nobody = 'jdbc:postgresql://127.0.0.1:1/shop';

export const rows: readonly EffectRow[] = [
  {
    key: 'datasource.id',
    first: 'Shop',
    second: 'Other',
    given: `${source}${memory}`,
    observe: (config) => ask(config, 'jdbc/Shop'),
  },
  {
    key: 'datasource.url',
    first: 'jdbc:h2:mem:effect',
    second: nobody,
    given: `${source}id = "Shop"\n`,
    observe: (config) => ask(config, 'Shop'),
  },
  {
    key: 'database.shop.url',
    first: 'jdbc:h2:mem:effect',
    second: nobody,
    given: named,
    observe: (config) => ask(config, 'shop'),
  },
  {
    key: 'database.shop.hostname',
    first: '127.0.0.1',
    second: '127.0.0.2',
    given: `${named}type = "postgre"\nport = 1\nname = "x"\n`,
    observe: (config) => ask(config, 'shop'),
  },
  {
    key: 'database.shop.port',
    first: 1,
    second: 2,
    given: `${named}type = "postgre"\nhostname = "127.0.0.1"\nname = "x"\n`,
    observe: (config) => ask(config, 'shop'),
  },
  {
    key: 'database.shop.name',
    first: 'one',
    second: 'two',
    given: `${named}type = "postgre"\nhostname = "127.0.0.1"\nport = 1\n`,
    observe: (config) => ask(config, 'shop'),
  },
  {
    key: 'database.shop.type',
    first: 'postgre',
    second: 'oracle',
    given: `${named}hostname = "127.0.0.1"\nport = 1\nname = "x"\n`,
    observe: (config) => ask(config, 'shop'),
  },
];
