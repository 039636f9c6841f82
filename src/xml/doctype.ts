/**
 * Where a document type declaration ends. Only what cannot bring anything from elsewhere or make text grow is passed
 * over: an internal subset without entities. Defaults of attributes that it declares are not applied.
 *
 * @param fail raises the error for a message and an offset
 */
export function endOfDoctype(source: string, start: number, fail: (message: string, offset: number) => never): number {
  let isInSubset = false;
  for (let at = start + '<!DOCTYPE'.length; at < source.length; at++) {
    const sign = source[at];
    if (source.startsWith('<!ENTITY', at)) fail('a document type declaration must not declare entities', at);
    if (source.startsWith('<!--', at)) at = closed(source.indexOf('-->', at + 4), at) + 2;
    else if (source.startsWith('<?', at)) at = closed(source.indexOf('?>', at + 2), at) + 1;
    else if (sign === '"' || sign === "'") at = closed(source.indexOf(sign, at + 1), at);
    else if (!isInSubset && /^(?:SYSTEM|PUBLIC)\s/.test(source.slice(at, at + 7))) {
      fail('a document type declaration must not name an external one', at);
    } else if (isInSubset && sign === '%' && /^%[^\s;]+;/.test(source.slice(at, at + 256))) {
      fail('a document type declaration must not refer to entities', at);
    } else if (sign === '[') isInSubset = true;
    else if (sign === ']') isInSubset = false;
    else if (sign === '>' && !isInSubset) return at + 1;
  }
  return fail('the document type declaration is not closed', start);

  function closed(index: number, from: number): number {
    return index < 0 ? fail('the document type declaration is not closed', from) : index;
  }
}
