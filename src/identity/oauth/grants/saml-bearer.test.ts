import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basic, type TestIdentity } from '../../test-identity.ts';
import {
  type AssertionText,
  assertionText,
  at,
  endpoint,
  enveloped,
  exchange,
  other,
  samlGrant,
  sign,
  withServer,
} from '../../test-saml.ts';

async function refused(server: TestIdentity, xml: string): Promise<void> {
  const answer = await exchange(server, xml);
  assert.equal(answer.status, 400, answer.text);
  assert.equal(answer.json()['error'], 'invalid_grant');
  assert.equal((await server.database.get('SELECT COUNT(*) AS n FROM mr_token'))?.['n'], 0);
}

test('RFC 7522 §2.1: a signed assertion becomes a token that ends with it', async () => {
  await withServer(async (server) => {
    const xml = sign(assertionText(server));
    const answer = await exchange(server, xml, { scope: 'orders' });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual([answer.json()['expires_in'], answer.json()['scope']], [600, 'orders']);
    const row = await server.database.get('SELECT subject_id, subject_type, identity_provider FROM mr_token');
    assert.deepEqual({ ...row }, { subject_id: 'ada', subject_type: 'federated', identity_provider: 'saml' });
    assert.equal((await exchange(server, xml)).json()['error'], 'invalid_grant', 'it counts once');
  });
});

test('RFC 7522 §2.1: plain Base64 and SHA-512 are accepted, and a life longer than the configured one is cut', async () => {
  await withServer(async (server) => {
    const long = { conditions: `NotOnOrAfter="${at(server, 100_000)}"` };
    const xml = sign(assertionText(server, long), {
      algorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
      digest: 'http://www.w3.org/2001/04/xmlenc#sha512',
    });
    const form = { grant_type: samlGrant, assertion: Buffer.from(xml).toString('base64') };
    const answer = await server.call('/oauth2/token', { headers: basic('app'), form });
    assert.equal(answer.json()['expires_in'], 3600);
  });
});

test('I11, RFC 7522 §3: assertions that are refused for what they say', async (context) => {
  await withServer(async (server) => {
    const bearer = (attributes: string): string =>
      `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData ${attributes}/></saml:SubjectConfirmation>`;
    const rows: readonly (readonly [name: string, facts: AssertionText])[] = [
      ['another audience', { audience: 'https://other.example' }],
      ['no audience', { audience: undefined }],
      ['ended', { conditions: `NotOnOrAfter="${at(server, -1)}"` }],
      ['not yet good', { conditions: `NotBefore="${at(server, 10)}" NotOnOrAfter="${at(server, 60)}"` }],
      ['a time that is none', { conditions: 'NotOnOrAfter="tomorrow"' }],
      ['an issuer that nobody knows', { issuer: 'https://evil.example' }],
      ['another version', { version: '1.1' }],
      ['no subject', { subject: '' }],
      ['no confirmation', { confirmation: '' }],
      [
        'another way of confirmation',
        { confirmation: '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:sender-vouches"/>' },
      ],
      [
        'another recipient',
        { confirmation: bearer(`NotOnOrAfter="${at(server, 60)}" Recipient="https://other.example"`) },
      ],
      [
        'a confirmation that ended',
        { confirmation: bearer(`NotOnOrAfter="${at(server, -1)}" Recipient="${endpoint}"`) },
      ],
      ['no end', { conditions: '', confirmation: bearer(`Recipient="${endpoint}"`) }],
    ];
    for (const [name, facts] of rows) {
      await context.test(name, () => refused(server, sign(assertionText(server, facts))));
    }
  });
});

test('I11, RFC 7522 §3: signatures that are refused', async (context) => {
  await withServer(async (server) => {
    const text = assertionText(server);
    const good = sign(text);
    const inclusive = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
    const rows: readonly (readonly [name: string, xml: string])[] = [
      ['none', text],
      ['of another key', sign(text, { key: other.privateKeyPem })],
      ['RSA with SHA-1', sign(text, { algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' })],
      ['digest with SHA-1', sign(text, { digest: 'http://www.w3.org/2000/09/xmldsig#sha1' })],
      ['inclusive canonicalization', sign(text, { canonicalization: inclusive })],
      ['transform by inclusive canonicalization', sign(text, { transforms: [enveloped, inclusive] })],
      ['one transform', sign(text, { transforms: [enveloped] })],
      [
        'of a part only',
        sign(text.replace('<saml:Subject>', '<saml:Subject ID="_part">'), { xpath: "//*[local-name()='Subject']" }),
      ],
      ['a transform by a stylesheet', good.replace(enveloped, 'http://www.w3.org/TR/1999/REC-xslt-19991116')],
      ['a reference to another server', good.replace(/URI="#[^"]*"/, 'URI="https://evil.example/assertion"')],
      ['a reference to a file', good.replace(/URI="#[^"]*"/, 'URI="file:///etc/passwd"')],
      ['a changed subject', good.replace('>ada<', '>eve<')],
      ['a changed end', good.replace(/NotOnOrAfter="\d{4}/, 'NotOnOrAfter="9999')],
      ['a document type', `<!DOCTYPE a [<!ENTITY e "eve">]>${good}`],
      ['an ID twice', good.replace('<saml:Subject>', `<saml:Subject Id="${/ ID="([^"]+)/.exec(good)?.[1]}">`)],
      ['cut off', good.slice(0, -20)],
      ['no XML', 'hello'],
      ['two roots', good + good],
    ];
    for (const [name, xml] of rows) await context.test(name, () => refused(server, xml));
    await context.test('no Base64', async () => {
      const form = { grant_type: samlGrant, assertion: '<xml/>' };
      const answer = await server.call('/oauth2/token', { headers: basic('app'), form });
      assert.equal(answer.json()['error'], 'invalid_grant');
    });
  });
});

/** The eight ways to wrap a signature (Somorovsky and others, "On Breaking SAML", 2012), on bare assertions and in responses. */
test('I11: wrapped signatures are refused', async (context) => {
  await withServer(async (server) => {
    const good = sign(assertionText(server));
    const [signature = ''] = /<ds:Signature[\s\S]*<\/ds:Signature>/.exec(good) ?? [];
    const unsigned = good.replace(signature, '');
    const evil = assertionText(server, { id: '_evil', subject: 'eve' });
    const into = (xml: string, child: string): string =>
      xml.replace(/<\/saml:Assertion>$/, `${child}</saml:Assertion>`);
    const afterIssuer = (xml: string, child: string): string => xml.replace('</saml:Issuer>', `</saml:Issuer>${child}`);
    const inObject = (child: string): string =>
      signature.replace('</ds:Signature>', `<ds:Object>${child}</ds:Object></ds:Signature>`);
    const response = (...children: readonly string[]): string =>
      `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_r" Version="2.0">${children.join('')}</samlp:Response>`;
    const extension = (child: string): string => `<samlp:Extensions>${child}</samlp:Extensions>`;
    const rows: readonly (readonly [name: string, xml: string])[] = [
      ['XSW1: the signed one within the signature of the evil one', afterIssuer(evil, inObject(unsigned))],
      ['XSW2: the signature beside the signed one', afterIssuer(evil, signature) + unsigned],
      ['XSW3: the evil one before the signed one', response(evil, good)],
      ['XSW4: the evil one around the signed one', into(evil, good)],
      ['XSW5: the signature moved, the signed one at the end', response(afterIssuer(evil, signature), unsigned)],
      ['XSW6: the signed one within the moved signature', response(afterIssuer(evil, inObject(unsigned)))],
      ['XSW7: the evil one in extensions', response(extension(evil), good)],
      ['XSW8: the signed one in an object of the evil one', into(evil, inObject(unsigned))],
      ['the evil one within the signed one', into(good, evil)],
      ['the evil one in the signature of the signed one', good.replace(signature, inObject(evil))],
      ['the same ID twice', into(evil.replace('_evil', / ID="([^"]+)/.exec(good)?.[1] ?? ''), good)],
      ['two signatures', into(good, signature)],
    ];
    for (const [name, xml] of rows) await context.test(name, () => refused(server, xml));
  });
});

test('I11: a comment does not cut the name of the subject', async () => {
  await withServer(async (server) => {
    const xml = sign(assertionText(server, { subject: 'ada@example.com.evil.example' }));
    const answer = await exchange(server, xml.replace('example.com', 'example.com<!-- -->'));
    assert.equal(answer.status, 200, 'comments are not signed');
    const row = await server.database.get('SELECT subject_id FROM mr_token');
    assert.equal(row?.['subject_id'], 'ada@example.com.evil.example');
  });
});

test('user_type LOCAL looks subjects up in the stores', async () => {
  await withServer(async (server) => {
    const ada = server.users.add({ name: 'ada', password: 'right' });
    assert.equal((await exchange(server, sign(assertionText(server)))).status, 200);
    const row = await server.database.get('SELECT subject_id, subject_type FROM mr_token');
    assert.deepEqual({ ...row }, { subject_id: ada.id, subject_type: 'user' });
    const answer = await exchange(server, sign(assertionText(server, { subject: 'eve' })));
    assert.equal(answer.json()['error'], 'invalid_grant');
  }, '[oauth.grant_type.saml_bearer]\nuser_type = "LOCAL"');
});

test('RFC 7522 §3: the skew widens both ends', async () => {
  const toml = '[oauth]\ntimestamp_skew = 30';
  await withServer(async (server) => {
    const conditions = `NotBefore="${at(server, 20)}" NotOnOrAfter="${at(server, 60)}"`;
    assert.equal((await exchange(server, sign(assertionText(server, { conditions })))).status, 200);
  }, toml);
});
