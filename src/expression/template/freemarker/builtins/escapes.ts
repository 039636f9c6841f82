import { encodeText, isCharset } from '#core/java';
import { escapeHtml, escapeJava, escapeJavaScript, escapeJsonString, escapeRtf, escapeXml } from '../escaping.ts';
import { plainText, wrongType } from '../convert.ts';
import { TemplateFailure } from '../errors.ts';
import { Markup } from '../output-format.ts';
import { ofText, textArgument, type Builtin, type BuiltinCall } from './builtin.ts';

/** Built-ins that protect texts in another language. */
export const escapeBuiltins: Readonly<Record<string, Builtin>> = {
  html: legacy('html', escapeHtml),
  web_safe: legacy('web_safe', escapeHtml),
  xhtml: legacy('xhtml', escapeHtml),
  xml: legacy('xml', escapeXml),
  rtf: legacy('rtf', escapeRtf),
  js_string: ofText(escapeJavaScript),
  json_string: ofText(escapeJsonString),
  j_string: ofText(escapeJava),
  url: ofText((text, call) => urlEncoded(text, call, /[\w\-.!~]/), [0, 1]),
  url_path: ofText((text, call) => urlEncoded(text, call, /[\w\-.!~/]/), [0, 1]),
  esc: {
    check: ({ output }) =>
      output.format.escape ? undefined : `?esc needs an output format that escapes; this is ${output.format.name}`,
    evaluate(value, { environment, operand, context }) {
      const { format } = context.output;
      if (value instanceof Markup) return value;
      return new Markup(format, format.escape?.(plainText(environment, value, operand)) ?? '');
    },
  },
  no_esc: {
    check: ({ output }) =>
      output.format.escape ? undefined : `?no_esc needs an output format that escapes; this is ${output.format.name}`,
    evaluate(value, { environment, operand, context }) {
      if (value instanceof Markup) return value;
      return new Markup(context.output.format, plainText(environment, value, operand));
    },
  },
  markup_string: {
    evaluate(value, { operand }) {
      if (value instanceof Markup) return value.text;
      throw wrongType('markup', value, operand);
    },
  },
};

/** The older escapes; where output is escaped anyway they would do it twice. */
function legacy(name: string, escape: (text: string) => string): Builtin {
  return {
    ...ofText(escape),
    check: ({ output }) =>
      output.isEscaping && output.format.escape
        ? `?${name} would escape twice, because the output format ${output.format.name} escapes by itself`
        : undefined,
  };
}

/** Every byte of the charset becomes `%XX`, other than the characters that are kept. */
function urlEncoded(text: string, call: BuiltinCall, kept: RegExp): string {
  const charset = textArgument(call, 0, call.environment.settings.url_escaping_charset);
  if (!isCharset(charset)) {
    throw new TemplateFailure('other', `The character set "${charset}" is not known`, call.args[0] ?? call.blamed);
  }
  let result = '';
  for (const character of text) {
    if (kept.test(character)) result += character;
    else
      for (const byte of encodeText(character, charset))
        result += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return result;
}
