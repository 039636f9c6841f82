import { escapeHtml, escapeRtf, escapeXml } from './escaping.ts';

/** A format of the output; those that escape are the ones for which automatic escaping exists. */
export interface OutputFormat {
  readonly name: string;
  readonly escape?: (text: string) => string;
}

const formats: readonly OutputFormat[] = [
  { name: 'HTML', escape: escapeHtml },
  { name: 'XHTML', escape: escapeHtml },
  { name: 'XML', escape: escapeXml },
  { name: 'RTF', escape: escapeRtf },
  { name: 'JSON' },
  { name: 'JavaScript' },
  { name: 'CSS' },
  { name: 'plainText' },
  { name: 'undefined' },
];

/** Formats by name. */
export const outputFormats: ReadonlyMap<string, OutputFormat> = new Map(formats.map((format) => [format.name, format]));

export const undefinedFormat: OutputFormat = { name: 'undefined' };

/** Text that is in a format already and is not escaped again. */
export class Markup {
  readonly format: OutputFormat;
  readonly text: string;

  constructor(format: OutputFormat, text: string) {
    this.format = format;
    this.text = text;
  }
}
