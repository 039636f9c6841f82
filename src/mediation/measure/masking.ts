/** What stands where something secret stood. */
export const masked = '*****';

const secretName = /passw(?:or)?d|passphrase|pwd|secret|token|credential|authorization|cookie|api-?key|jwt|signature/i;

/** True for the names of headers, properties and fields whose values nobody may see. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

const jsonField = /"((?:[^"\\]|\\.)*)"(\s*:\s*)("(?:[^"\\]|\\.)*"|[\w.+-]+)/g;
const xmlElement = /<((?:[\w.-]+:)?[\w.-]+)((?:\s[^<>]*)?)>([^<]*)<\/\1\s*>/g;
const attribute = /(\s(?:[\w.-]+:)?([\w.-]+)=)("[^"]*"|'[^']*')/g;
/** A start tag, whose attribute `name` may say what its `value` is, as in `<property>`. */
const tag = /<(?:[^<>"']|"[^"<]*"|'[^'<]*')*>/g;
const valueAttribute = /(\svalue=)(?:"[^"]*"|'[^']*')/;
const nameAttribute = /\sname=["']([^"']*)["']/;
const formField = /(^|[?&;])([\w.-]+)=([^&;\s]*)/g;
const userInfo = /(\w:\/\/[^\s/:@?#]*):[^\s/?#]*@/g;

/** Masks the values of secret fields in JSON, XML, form and URL text, wherever they stand; `mark` stands there then. */
export function maskText(text: string, mark = masked): string {
  return text
    .replace(jsonField, (whole, name: string, colon: string) =>
      isSecretName(name) ? `"${name}"${colon}"${mark}"` : whole,
    )
    .replace(xmlElement, (whole, name: string, attributes: string) =>
      isSecretName(name) || hasSecretName(attributes) ? `<${name}${attributes}>${mark}</${name}>` : whole,
    )
    .replace(tag, (whole) => (hasSecretName(whole) ? whole.replace(valueAttribute, `$1"${mark}"`) : whole))
    .replace(attribute, (whole, start: string, name: string) => (isSecretName(name) ? `${start}"${mark}"` : whole))
    .replace(formField, (whole, start: string, name: string) =>
      isSecretName(name) ? `${start}${name}=${mark}` : whole,
    )
    .replace(userInfo, `$1:${mark}@`);
}

/** True for an element, or its attributes, with a `name` that is that of a secret. */
function hasSecretName(text: string): boolean {
  return isSecretName(nameAttribute.exec(text)?.[1] ?? '');
}
