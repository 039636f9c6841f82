/** Licences under which a package may be shipped, by their SPDX identifiers. */
const allowed: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
]);

/**
 * Packages with terms of their own, by name. They are never part of a bundle: whoever wants what they do installs them,
 * and their terms stand in the notices.
 */
const ownTerms: ReadonlySet<string> = new Set(['saxon-js', 'xslt3']);

/** Whether the package may be loaded under terms of its own, unmodified and outside of the bundle. */
export function hasAcceptedTerms(name: string, optional: boolean): boolean {
  return optional && ownTerms.has(name);
}

/**
 * Whether the SPDX expression allows shipping: one side of an `OR`, every side of an `AND`. Nested parentheses are
 * refused, since no package needs them.
 */
export function isAllowedLicence(expression: string): boolean {
  const plain = expression.trim().replace(/^\((.*)\)$/, '$1');
  return plain.split(/\s+OR\s+/).some((side) => side.split(/\s+AND\s+/).every((name) => allowed.has(name)));
}

const mitTerms = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;

const iscTerms = `Permission to use, copy, modify, and/or distribute this software for any
purpose with or without fee is hereby granted, provided that the above
copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY
AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM
LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR
OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR
PERFORMANCE OF THIS SOFTWARE.`;

/** The usual text of a licence, for packages that name it without carrying it; undefined when it is none of these. */
export function standardText(licence: string, author: string): string | undefined {
  if (licence === 'MIT') return `MIT License\n\nCopyright (c) ${author}\n\n${mitTerms}`;
  if (licence === 'ISC') return `ISC License\n\nCopyright (c) ${author}\n\n${iscTerms}`;
  return undefined;
}
