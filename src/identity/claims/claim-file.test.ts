import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startTestGround } from '../test-ground.ts';
import { superTenant } from '../tenants/tenant.ts';
import { claimsOfAssertion } from '../providers/assertion-claims.ts';
import { createClaimsOf } from './claims-of.ts';
import { readClaimFile, readClaimFileOf } from './claim-file.ts';
import { createClaimTables } from './claim-tables.ts';

const local = 'http://wso2.org/claims/';
const user = 'urn:ietf:params:scim:schemas:core:2.0:User';
const system = 'urn:scim:wso2:schema';

const file = `<?xml version="1.0" encoding="UTF-8"?>
<ClaimManager xmlns="http://wso2.org/projects/carbon/carbon.xml">
  <Dialects>
    <Dialect dialectURI="http://wso2.org/claims">
      <Claim>
        <ClaimURI>${local}emailaddress</ClaimURI>
        <DisplayName>Email</DisplayName>
        <AttributeID>PRIMARY/mail;OTHER/rfc822Mailbox</AttributeID>
        <Description>Address of mail</Description>
        <Required />
        <DisplayOrder>4</DisplayOrder>
        <SupportedByDefault />
        <RegEx>^[^@ ]+@[a-z.]+$</RegEx>
      </Claim>
      <Claim><ClaimURI>${local}badge</ClaimURI><AttributeID>employeeNumber</AttributeID><ReadOnly /></Claim>
      <Claim><ClaimURI>${local}mobile</ClaimURI><AttributeID>mobile</AttributeID></Claim>
      <Claim><ClaimURI>${local}telephone</ClaimURI><AttributeID>mobile</AttributeID></Claim>
    </Dialect>
    <Dialect dialectURI="http://wso2.org/oidc/claim">
      <Claim><ClaimURI>sub</ClaimURI><MappedLocalClaim>${local}badge</MappedLocalClaim></Claim>
      <Claim><ClaimURI>email</ClaimURI><MappedLocalClaim>${local}emailaddress</MappedLocalClaim></Claim>
      <Claim><ClaimURI>badge_number</ClaimURI><AttributeID>employeeNumber</AttributeID></Claim>
      <Claim><ClaimURI>lost</ClaimURI><MappedLocalClaim>${local}nothing</MappedLocalClaim></Claim>
    </Dialect>
    <Dialect dialectURI="${user}">
      <Claim><ClaimURI>${user}:emails.work</ClaimURI><MappedLocalClaim>${local}emailaddress</MappedLocalClaim></Claim>
      <Claim><ClaimURI>${user}:phoneNumbers</ClaimURI><MappedLocalClaim>${local}telephone</MappedLocalClaim></Claim>
    </Dialect>
    <Dialect dialectURI="${system}">
      <Claim><ClaimURI>${system}:badge</ClaimURI><MappedLocalClaim>${local}badge</MappedLocalClaim></Claim>
    </Dialect>
  </Dialects>
</ClaimManager>`;

const files = { 'repository/conf/claim-config.xml': file };

describe('a file of claims', () => {
  it('names the attributes of each store', () => {
    const tables = createClaimTables(readClaimFile(file, 'claim-config.xml'));
    const of = (domain: string) => tables.attributesOf({ domain, nameAttribute: 'cn' });
    assert.equal(of('PRIMARY')(`${local}emailaddress`)?.attribute, 'mail');
    assert.equal(of('OTHER')(`${local}emailaddress`)?.attribute, 'rfc822Mailbox');
    assert.equal(of('THIRD')(`${local}emailaddress`), undefined);
    assert.equal(of('THIRD')(`${local}badge`)?.attribute, 'employeeNumber');
    assert.equal(of('PRIMARY')(`${local}givenname`), undefined);
    // What keeps users out, and their names, no file takes away.
    assert.equal(of('PRIMARY')(`${local}identity/accountLocked`)?.attribute, 'accountLock');
    assert.equal(of('PRIMARY')(`${local}username`)?.attribute, 'cn');
  });

  it('shows claims by its names in tokens and in the dialects of others', async () => {
    await using ground = await startTestGround('', files);
    const { administration } = ground;
    const claims = new Map([
      [`${local}emailaddress`, 'ada@example.com'],
      [`${local}badge`, '1815'],
    ]);
    const { id } = await administration.users.create(superTenant, { name: 'ada', password: 'long-enough', claims });
    const claimsOf = createClaimsOf(administration);
    const asked = { userId: id, tenant: superTenant, configured: undefined, requested: [] };
    assert.deepEqual(await claimsOf({ ...asked, scopes: ['openid', 'email'] }), { email: 'ada@example.com' });
    assert.deepEqual(await claimsOf({ ...asked, scopes: ['profile'] }), { username: 'ada', badge_number: '1815' });
    const taken = claimsOfAssertion(
      { number: '7' },
      { claims: new Map([['number', `${local}badge`]]), roleClaim: undefined, roles: new Map() },
      { usesOidcNames: true, keepsUnmapped: false, oidcNames: administration.claims.oidcNames },
    );
    assert.deepEqual(taken, { badge_number: '7' });
  });

  it('keeps claims of one attribute in one place of the database', async () => {
    await using ground = await startTestGround('', files);
    const { users, stores } = ground.administration;
    const [mobile, telephone] = [`${local}mobile`, `${local}telephone`];
    const ada = await users.create(superTenant, { name: 'ada', password: 'long-enough' });
    // As it was stored before there was a file.
    const sql = 'INSERT INTO mr_user_attribute (user_id, claim, value) VALUES (?, ?, ?)';
    await ground.database.run(sql, [ada.id, telephone, '1']);
    assert.deepEqual([...(await users.claims(ada, [telephone, mobile])).values()], ['1', '1']);
    await users.setClaims(ada, new Map([[telephone, '2']]));
    assert.deepEqual([...(await users.claims(ada, [telephone, mobile])).values()], ['2', '2']);
    const [store] = await stores.of(superTenant);
    assert.equal((await store?.findByClaim(superTenant, [mobile, '2']))?.[0]?.id, ada.id);
    await users.setClaims(ada, new Map([[mobile, null]]));
    assert.equal((await users.claims(ada, [telephone, mobile])).size, 0);
  });

  it('refuses values that its patterns do not match', async () => {
    await using ground = await startTestGround('', files);
    const { users } = ground.administration;
    const wrong = { code: 'MR_CLAIM_VALUE', message: 'Email: expected a value of the form ^[^@ ]+@[a-z.]+$' };
    const claims = new Map([[`${local}emailaddress`, 'nowhere']]);
    await assert.rejects(users.create(superTenant, { name: 'ada', password: 'long-enough', claims }), wrong);
    const ada = await users.create(superTenant, { name: 'ada', password: 'long-enough' });
    await assert.rejects(users.setClaims(ada, claims), wrong);
    await users.setClaims(ada, new Map([[`${local}emailaddress`, null]]));
  });

  it('makes the attributes of SCIM', async () => {
    await using ground = await startTestGround('', files);
    const made = await ground.call('POST /scim2/Users', {
      userName: 'ada',
      password: 'long-enough',
      emails: [{ type: 'work', value: 'ada@example.com' }],
      phoneNumbers: [{ value: '1' }],
      [system]: { badge: '1815' },
      name: { givenName: 'Ada' },
    });
    assert.equal(made.status, 201);
    const { id } = made.json;
    assert.deepEqual(made.json['emails'], [{ type: 'work', value: 'ada@example.com' }]);
    assert.deepEqual(made.json['phoneNumbers'], [{ value: '1', primary: true }]);
    // Not in the file, and a claim that only the server sets.
    assert.equal(made.json['name'], undefined);
    assert.equal(made.json[system], undefined);
    const { users } = ground.administration;
    const ada = await users.byId(superTenant, String(id));
    assert.ok(ada);
    await users.setClaims(ada, new Map([[`${local}badge`, '1815']]));
    const shown = await ground.call(`GET /scim2/Users/${String(id)}`);
    assert.deepEqual(shown.json[system], { badge: '1815' });
    assert.deepEqual(shown.json['schemas'], [user, system]);
    const patch = (value: string) =>
      ground.call(`PATCH /scim2/Users/${String(id)}`, {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: [{ op: 'replace', path: `${system}:badge`, value }],
      });
    const refused = await patch('1');
    assert.deepEqual([refused.status, refused.json['scimType']], [400, 'mutability']);
    assert.equal((await patch('1815')).status, 200);
    const wrong = await ground.call('POST /scim2/Users', {
      userName: 'bob',
      password: 'long-enough',
      emails: [{ type: 'work', value: 'nowhere' }],
    });
    assert.deepEqual([wrong.status, wrong.json['scimType']], [400, 'invalidValue']);
  });

  it('describes itself in the schemas of SCIM', async () => {
    await using ground = await startTestGround('', files);
    const { json } = await ground.call('GET /scim2/Schemas');
    const resources = json['Resources'] as { id: string; attributes: Record<string, unknown>[] }[];
    assert.deepEqual(
      resources.map(({ id }) => id).filter((id) => id !== 'urn:ietf:params:scim:schemas:core:2.0:Group'),
      [user, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User', system],
    );
    const badge = resources.find(({ id }) => id === system)?.attributes[0];
    assert.deepEqual([badge?.['name'], badge?.['mutability']], ['badge', 'readOnly']);
    const types = (await ground.call('GET /scim2/ResourceTypes')).json['Resources'] as Record<string, unknown>[];
    assert.ok(JSON.stringify(types[0]?.['schemaExtensions']).includes(system));
  });

  const inDialect = (text: string): string =>
    `<ClaimManager><Dialects>\n<Dialect dialectURI="http://wso2.org/claims">\n${text}\n</Dialect></Dialects></ClaimManager>`;
  const wrongFiles = [
    ['an unfinished file', '<ClaimManager>\n  <Dialects>', /^claims\.xml:2:\d+: error: /],
    [
      'no dialects',
      '<ClaimManager/>',
      /^claims\.xml:1:1: error: expected <Dialects> in <ClaimManager>, found none \[MR_CLAIM_CONFIG\]$/m,
    ],
    ['a dialect without a name', '<D><Dialects>\n<Dialect/></Dialects></D>', /^claims\.xml:2:1: error: .*"dialectURI"/],
    ['a claim without a name', inDialect(' <Claim/>'), /^claims\.xml:3:2: error: expected a text in <ClaimURI>/],
    [
      'a claim twice',
      inDialect('<Claim><ClaimURI>a</ClaimURI></Claim>\n<Claim><ClaimURI>a</ClaimURI></Claim>'),
      /^claims\.xml:4:1: error: the claim a is declared twice/,
    ],
    [
      'an attribute of no domain',
      inDialect('<Claim><ClaimURI>a</ClaimURI><AttributeID>/mail</AttributeID></Claim>'),
      /^claims\.xml:3:1: error: <AttributeID>: expected ATTRIBUTE or DOMAIN\/ATTRIBUTE, found "\/mail"/,
    ],
    [
      'an order that is no number',
      inDialect('<Claim><ClaimURI>a</ClaimURI><DisplayOrder>first</DisplayOrder></Claim>'),
      /^claims\.xml:3:1: error: <DisplayOrder> of a: expected a whole number, found "first"/,
    ],
    [
      'a pattern that is none',
      inDialect('<Claim><ClaimURI>a</ClaimURI><RegEx>[a</RegEx></Claim>'),
      /^claims\.xml:3:1: error: <RegEx>: expected a regular expression/,
    ],
  ] as const;
  for (const [name, text, message] of wrongFiles) {
    it(`is refused with its place: ${name}`, () => {
      assert.throws(() => readClaimFile(text, 'claims.xml'), { code: 'MR_CLAIM_CONFIG', message });
    });
  }

  it('is looked for in the home, and names itself by its path there', async () => {
    await using ground = await startTestGround();
    const { home } = ground;
    assert.equal(readClaimFileOf(home), undefined);
    mkdirSync(home.conf, { recursive: true });
    writeFileSync(join(home.conf, 'claim-config.xml'), '<ClaimManager/>');
    assert.throws(() => readClaimFileOf(home), {
      code: 'MR_CLAIM_CONFIG',
      message: /\/claim-config\.xml:1:1: error: /,
    });
  });
});
