import { contentOf, DerProblem, readAll, readDer, readFields } from './der.ts';

const kerberos = '2a864886f712010202';
const spnego = '2b0601050502';
/** An AP-REQ within a token (RFC 4121 §4.1). */
const requestId = 0x0100;

/**
 * The AP-REQ in a token of GSS-API, on its own or as the first choice of a negotiation (RFC 4121 §4.1, RFC 4178 §4.2.1).
 *
 * @throws DerProblem for everything else
 */
export function requestOfToken(token: Buffer): Buffer {
  const { mechanism, rest } = framed(token);
  if (mechanism === kerberos) return requestOf(rest);
  if (mechanism !== spnego) throw new DerProblem(`the mechanism ${mechanism} is not Kerberos`);
  const init = contentOf(readDer(rest).value, 0xa0, 'a negotiation that begins');
  const choice = readFields(readDer(init).value, 'a negotiation that begins').get(2);
  if (!choice) throw new DerProblem('the negotiation has no token of its first choice');
  const inner = framed(contentOf(choice, 0x04, 'the token of the first choice'));
  if (inner.mechanism !== kerberos) throw new DerProblem(`the first choice ${inner.mechanism} is not Kerberos`);
  return requestOf(inner.rest);
}

/** RFC 2743 §3.1. */
function framed(token: Buffer): { readonly mechanism: string; readonly rest: Buffer } {
  const content = contentOf(readDer(token).value, 0x60, 'a token of GSS-API');
  const { value, end } = readDer(content);
  return { mechanism: contentOf(value, 0x06, 'the mechanism').toString('hex'), rest: content.subarray(end) };
}

function requestOf(rest: Buffer): Buffer {
  if (rest.length < 2 || rest.readUInt16BE(0) !== requestId) throw new DerProblem('the token is not the first one');
  const request = rest.subarray(2);
  if (readAll(request).length !== 1) throw new DerProblem('more follows the request');
  return request;
}
