/** Text of an element or an attribute. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

export function cdata(text: string): string {
  return `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
}

/** Text of a comment, in which two hyphens end it. */
export function noted(text: string): string {
  return text.replaceAll('--', '- -').replace(/-$/, '- ');
}

/** A document without its declaration, which may stand at the beginning alone. */
export function bare(source: string): string {
  return source.replace(/^\s*<\?xml[^>]*\?>\s*/, '');
}
