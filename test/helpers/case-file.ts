/** One section of a case file: its title line and its text. */
export interface Section {
  readonly title: string;
  readonly text: string;
}

/** A request or response as written in a case. */
export interface HttpText {
  readonly first: string;
  /** Flat list: name, value … */
  readonly headers: string[];
  readonly body: string;
}

/** Splits a case file: sections begin with a line `--- title`; what stands before the first one describes the case. */
export function parseCase(text: string): { description: string; sections: readonly Section[] } {
  const parts = text.replaceAll('\r\n', '\n').split(/^--- (.+)$/m);
  const sections: Section[] = [];
  for (let index = 1; index < parts.length; index += 2) {
    sections.push({ title: (parts[index] ?? '').trim(), text: (parts[index + 1] ?? '').replace(/^\n/, '') });
  }
  return { description: (parts[0] ?? '').trim(), sections };
}

/** Reads a first line, headers up to an empty line, and a body without its last line end. */
export function parseHttp(text: string): HttpText {
  const lines = text.split('\n');
  const first = (lines.shift() ?? '').trim();
  const headers: string[] = [];
  while (lines.length > 0 && lines[0]?.trim() !== '') {
    const line = lines.shift() ?? '';
    const colon = line.indexOf(':');
    if (colon < 0) throw new Error(`expected "Name: value" in a case, found "${line}"`);
    headers.push(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  lines.shift();
  return { first, headers, body: lines.join('\n').replace(/\n+$/, '') };
}

/** Writes sections back into the text of a case file. */
export function formatCase(description: string, sections: readonly Section[]): string {
  const body = sections.map(({ title, text }) => `--- ${title}\n${text.replace(/\n*$/, '\n')}`).join('');
  return `${description}\n${body}`;
}
