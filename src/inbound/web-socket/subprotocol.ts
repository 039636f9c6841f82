const described = /^synapse\(\s*contentType\s*=\s*(['"]?)([^'"]+)\1\s*\)$/i;

/** The subprotocol that a client and an endpoint agree to, and the media type of frames that it names. */
export interface AgreedProtocol {
  readonly name: string | undefined;
  readonly contentType: string | undefined;
}

/**
 * Agrees to the first subprotocol of a client that somebody here speaks (mediators 12.5): a module, or the form
 * `synapse(contentType='application/json')`; else to what a back end has agreed to.
 */
export function agree(
  listed: readonly string[],
  { handled, backEnd }: { readonly handled: ReadonlySet<string>; readonly backEnd: string | undefined },
): AgreedProtocol {
  for (const name of listed) {
    if (handled.has(name)) return { name, contentType: undefined };
    const contentType = described.exec(name)?.[2]?.trim();
    if (contentType !== undefined) return { name, contentType };
  }
  return { name: backEnd !== undefined && listed.includes(backEnd) ? backEnd : undefined, contentType: undefined };
}
