import { defineCommand } from 'citty';
import { coverageReport, describeSource, type Config, type Effective, type Explanation } from '#config';
import { configOptions, fail, openConfig } from './config-options.ts';

const explain = defineCommand({
  meta: {
    name: 'explain',
    description:
      'Shows one key: its value, where the value came from, what it does and which values are allowed.\n\n' +
      'Example: millrace config explain server.offset --home ./home\n',
  },
  args: {
    key: { type: 'positional', required: true, description: 'Path of the key, in any spelling, such as server.offset' },
    ...configOptions,
    json: { type: 'boolean', description: 'Print JSON' },
  },
  run({ args }) {
    const opened = openConfig(args);
    if (!opened) return;
    const explanation = opened.config.explain(args.key);
    if (!explanation) {
      const near = opened.config.catalog.nearest(args.key);
      fail(`${args.key} is no known key${near === undefined ? '' : `; did you mean ${near}?`}`);
      return;
    }
    console.log(args.json ? JSON.stringify(explanation, undefined, 2) : formatExplanation(explanation));
  },
});

const show = defineCommand({
  meta: {
    name: 'show',
    description:
      'Shows the configuration with secrets masked: the values of the file, or with --effective all that hold.\n\n' +
      'Example: millrace config show --effective --json --home ./home\n',
  },
  args: {
    ...configOptions,
    effective: { type: 'boolean', description: 'Include inferred values and defaults' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  run({ args }) {
    const opened = openConfig(args);
    if (!opened) return;
    const values = args.effective ? opened.config.effective() : opened.config.written();
    console.log(args.json ? showJson(opened.config, values) : values.map((value) => formatValue(value)).join('\n'));
  },
});

const coverage = defineCommand({
  meta: {
    name: 'coverage',
    description:
      'Counts the keys that are honoured, inert and pending.\n\nExample: millrace config coverage --pending\n',
  },
  args: {
    pending: { type: 'boolean', description: 'List the keys that have no effect yet, one a line' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  run({ args }) {
    const report = coverageReport();
    if (args.json) {
      console.log(JSON.stringify(report, undefined, 2));
      return;
    }
    if (args.pending) {
      for (const path of report.pendingKeys) console.log(path);
      return;
    }
    const rows = [
      { name: 'all keys', ...report.all },
      { name: 'documented keys', ...report.documented },
      ...report.sections.map((row) => ({
        ...row,
        name: `${row.file === 'dashboard' ? 'dashboard ' : ''}[${row.section}]`,
      })),
    ];
    const width = Math.max(...rows.map(({ name }) => name.length));
    console.log(`${''.padEnd(width)}  honoured  inert  pending  total`);
    for (const { name, honoured, inert, pending, total } of rows) {
      const cells = [
        String(honoured).padStart(8),
        String(inert).padStart(5),
        String(pending).padStart(7),
        String(total).padStart(5),
      ];
      console.log(`${name.padEnd(width)}  ${cells.join('  ')}`);
    }
  },
});

/** `millrace config`: what the configuration says, and what it means. */
export const configCommand = defineCommand({
  meta: {
    name: 'config',
    description:
      'Shows and explains the configuration.\n\nExample: millrace config explain apim.cors.allow_origins --home ./home\n',
  },
  subCommands: { explain, show, coverage },
});

function formatExplanation(explanation: Explanation): string {
  const { path, values, unit, allowed, note, whenAbsent, aliases, effect } = explanation;
  const lines = [
    explanation.spelling === undefined ? path : `${path} (asked for as ${explanation.spelling})`,
    `  ${explanation.doc}`,
    ...(values.length === 0 ? ['  value     none'] : []),
    ...values.map(({ value, source }) => `  value     ${JSON.stringify(value)} — ${source}`),
    `  type      ${explanation.type}${unit === undefined ? '' : ` in ${unit}`}${explanation.required ? ', required' : ''}`,
    ...(allowed.length > 0 ? [`  allowed   ${allowed.map(String).join(', ')}`] : []),
    ...(explanation.default === undefined ? [] : [`  default   ${JSON.stringify(explanation.default)}`]),
    ...(note === undefined ? [] : [`  note      ${note}`]),
    ...(whenAbsent === undefined ? [] : [`  absent    ${whenAbsent}`]),
    ...(aliases.length > 0 ? [`  also      ${aliases.join(', ')}`] : []),
    ...(effect === '' ? [] : [`  effect    ${effect}`]),
    `  status    ${explanation.status}${explanation.treatment === 'mapped' ? ', mapped from an idea of the Java platform' : ''}`,
    ...(explanation.reload ? ['  reload    applied by millrace reload'] : []),
  ];
  return lines.join('\n');
}

function formatValue({ path, value, source }: Effective): string {
  return `${path} = ${JSON.stringify(value)}  # ${describeSource(source, path.replaceAll(/\[\d+\]/g, ''))}`;
}

function showJson(config: Config, values: readonly Effective[]): string {
  const entries = values.map(({ path, value, source }) => ({
    path,
    value,
    source: describeSource(source, path.replaceAll(/\[\d+\]/g, '')),
  }));
  return JSON.stringify({ file: config.file, values: entries }, undefined, 2);
}
