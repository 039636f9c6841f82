import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

const levelStyles: Readonly<Record<string, Style>> = {
  trace: 'gray',
  debug: 'gray',
  info: 'green',
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
};
const hiddenFields = new Set(['level', 'time', 'area', 'msg', 'err']);

/** Turns JSON log lines into lines for a person: time, level, area, message, then the fields as `name=value`. */
export function createPrettyStream(destination: { write(line: string): void }): { write(line: string): void } {
  return { write: (line) => destination.write(formatLine(line)) };
}

function formatLine(line: string): string {
  const record = JSON.parse(line) as Record<string, unknown>;
  const time = new Date(record['time'] as number).toISOString().slice(11, 23);
  const level = textOf(record['level']);
  const fields = Object.entries(record)
    .filter(([name]) => !hiddenFields.has(name))
    .map(([name, value]) => styleText('gray', `${name}=${formatValue(value)}`));
  const stack = (record['err'] as { stack?: string } | undefined)?.stack;
  const head = [
    styleText('gray', time),
    styleText(levelStyles[level] ?? 'white', level.toUpperCase().padEnd(5)),
    styleText('cyan', textOf(record['area'])),
    escapeControls(textOf(record['msg'])),
  ];
  return `${[...head, ...fields].join(' ')}\n${stack ? `${escapeControls(stack)}\n` : ''}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function formatValue(value: unknown): string {
  return escapeControls(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Control characters of logged data must not reach a terminal (log injection); line breaks stay readable. */
function escapeControls(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
}
