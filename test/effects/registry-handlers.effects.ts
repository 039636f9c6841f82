import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { millrace, type Config } from '#config';
import { createHome } from '#core';
import { messageOf } from '#errors';
import { openRegistryFiles, type RegistryFiles } from '../../src/management/registry-files.ts';
import { openRegistryHandlers } from '../../src/server/registry-handlers.ts';
import type { EffectRow } from './effect-row.ts';
import { apiOf, inServer, outcome, ports, type Files } from './effect-server.ts';

const filters = 'org.wso2.carbon.registry.core.jdbc.handlers.filters';
const byUrl = `filter_class = "${filters}.URLMatcher"`;
const byType = `filter_class = "${filters}.MediaTypeMatcher"`;

/** `Mark` adds its text to what is read and written, and keeps what must not be removed. */
const modules: Files = {
  'extensions/marks.mjs': `
const text = (content) => Buffer.from(content ?? '').toString('utf8');
export class Mark {
  text = 'marked';
  parts = '';
  get(request, next) { return Buffer.from(text(next()) + ' ' + this.text + JSON.stringify(this.parts)); }
  put(request, next) { next(Buffer.from(text(request.content) + ' ' + this.text)); }
  delete() { throw new Error('it must stay'); }
}
export class Other extends Mark { text = 'other'; }
export class Named {
  ending = '';
  matches({ path }) { return path.endsWith(this.ending); }
}
export class Never {
  pattern = '';
  matches() { return false; }
}
`,
};

const handler = (more: string): string => `[[registry_handler]]\nclass = "./marks.mjs#Mark"\n${more}\n`;
const everything = `${byUrl}\n[registry_handler.filter_properties]\npattern = ".*"`;

/** Reads, replaces and removes `rates.xml` and `rates.json` in the registry of a home, and tells what came of it. */
function uses(config: Config): readonly string[] {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-registry-'));
  try {
    const home = createHome(directory);
    for (const [file, text] of Object.entries(modules)) {
      mkdirSync(join(directory, file, '..'), { recursive: true });
      writeFileSync(join(directory, file), text);
    }
    const place = { directory: home.extensions, classMap: config.bag(millrace.classMap) };
    const files = openRegistryFiles(home, openRegistryHandlers(config, place));
    return ['rates.xml', 'rates.json'].flatMap((name) => usesOf(files, name, home.registry));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function usesOf(files: RegistryFiles, name: string, directory: string): string[] {
  const path = `registry/governance/${name}`;
  const file = join(directory, 'governance', name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, 'kept');
  const steps = {
    read: () => Buffer.from(files.read(path).bytes).toString('utf8'),
    replaced: () => {
      files.replace(path, Buffer.from('new'));
      return readFileSync(file, 'utf8');
    },
    removed: () => {
      files.remove(path);
      return 'gone';
    },
  };
  return Object.entries(steps).map(([step, run]) => {
    try {
      return `${step} ${name}: ${run()}`;
    } catch (error) {
      return `${step} ${name}: ${messageOf(error)}`;
    }
  });
}

/** What a flow finds in the registry. */
const found = (text: string): Promise<string> => {
  const flow = `<payloadFactory media-type="text"><format>$1</format>
    <args><arg expression="get-property('registry', 'gov:/rates.txt')"/></args></payloadFactory><respond/>`;
  const files = { ...modules, ...apiOf(flow), 'registry/governance/rates.txt': 'kept' };
  return inServer(text, files, (server) => outcome(`${server.url('API HTTP')}/t`));
};

const nested = (more: string): string => handler(`${everything}\n[[registry_handler.nested_property]]\n${more}`);
const part = (more: string): string => `[[registry_handler.nested_property.parts]]\n${more}`;
const aPart = part('tag = "to"\nvalue = "me"\n');

const patterns = ['pattern', 'getPattern', 'putPattern', 'deletePattern'].map((name): EffectRow => ({
  key: `registry_handler.filter_properties.${name}`,
  first: '/_system/governance/.*\\.xml',
  second: '.*nothing',
  given: handler(byUrl),
  observe: uses,
}));

export const rows: readonly EffectRow[] = [
  {
    key: 'registry_handler.class',
    first: './marks.mjs#Mark',
    second: './marks.mjs#Other',
    given: `${ports}[[registry_handler]]\n${everything}`,
    observe: (_, text) => found(text),
  },
  {
    key: 'registry_handler.filter_class',
    first: `${filters}.URLMatcher`,
    second: './marks.mjs#Never',
    given: `${ports}${handler('[registry_handler.filter_properties]\npattern = ".*"')}`,
    observe: (_, text) => found(text),
  },
  {
    key: 'registry_handler.method',
    first: ['GET'],
    second: ['PUT', 'DELETE'],
    given: handler(everything),
    observe: uses,
  },
  {
    key: 'registry_handler.properties.text',
    first: 'one',
    second: 'two',
    given: handler(everything),
    observe: uses,
  },
  ...patterns,
  {
    key: 'registry_handler.filter_properties.mediaType',
    first: 'application/xml',
    second: 'application/json',
    given: handler(byType),
    observe: uses,
  },
  {
    key: 'registry_handler.filter_properties.invert',
    first: 'true',
    second: 'false',
    given: handler(`${byType}\n[registry_handler.filter_properties]\nmediaType = "application/xml"\n`),
    observe: uses,
  },
  {
    key: 'registry_handler.filter_properties.ending',
    first: '.xml',
    second: '.json',
    given: handler('filter_class = "./marks.mjs#Named"'),
    observe: uses,
  },
  {
    key: 'registry_handler.nested_property.enable',
    first: true,
    second: false,
    given: nested(`name = "parts"\n${aPart}`),
    observe: uses,
  },
  {
    key: 'registry_handler.nested_property.name',
    first: 'parts',
    second: 'text',
    given: nested(`enable = true\n${aPart}`),
    observe: uses,
  },
  {
    key: 'registry_handler.nested_property.type',
    first: 'xml',
    second: 'null',
    given: nested(`enable = true\nname = "parts"\n${aPart}`),
    observe: uses,
  },
  ...(['tag', 'value', 'key'] as const).map((name): EffectRow => ({
    key: `registry_handler.nested_property.parts.${name}`,
    first: 'one',
    second: 'two',
    given: nested(
      `enable = true\nname = "parts"\n${part(name === 'tag' ? 'value = "v"\n' : name === 'value' ? 'tag = "t"\n' : 'tag = "t"\nvalue = "v"\n')}`,
    ),
    observe: uses,
  })),
];
