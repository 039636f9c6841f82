import { escapeAttribute, type XmlElement } from '#xml';

/** The start tag of an element with the attributes and declarations that were written on it. */
export function startTag(element: XmlElement): string {
  return `<${element.name}${declarations(element)}${spaced(attributesMarkup(element))}>`;
}

export function endTag(element: XmlElement): string {
  return `</${element.name}>`;
}

/** The attributes as written in a start tag, without a blank before them. */
export function attributesMarkup(element: XmlElement): string {
  return element.attributes
    .map(({ prefix, local, value }) => `${prefix === '' ? local : `${prefix}:${local}`}="${escapeAttribute(value)}"`)
    .join(' ');
}

function declarations(element: XmlElement): string {
  return element.declarations
    .map(({ prefix, uri }) => ` xmlns${prefix === '' ? '' : `:${prefix}`}="${escapeAttribute(uri)}"`)
    .join('');
}

function spaced(text: string): string {
  return text === '' ? '' : ` ${text}`;
}
