/** A JSON answer with its length declared. */
export function jsonResponse(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return textResponse(JSON.stringify(value), { status, type: 'application/json', headers });
}

/** An answer of text in UTF-8 with its length declared. */
export function textResponse(
  text: string,
  facts: { readonly status?: number; readonly type: string; readonly headers?: Readonly<Record<string, string>> },
): Response {
  const bytes = Buffer.from(text);
  return new Response(bytes, {
    status: facts.status ?? 200,
    headers: {
      'Content-Type': facts.type,
      'Content-Length': String(bytes.length),
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
      ...facts.headers,
    },
  });
}
