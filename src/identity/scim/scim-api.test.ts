import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startTestGround, type TestGround, type TestReply } from '../test-ground.ts';

const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

async function makeUser(ground: TestGround, name: string, more: object = {}): Promise<TestReply> {
  return ground.call('POST /scim2/Users', { userName: name, password: 'long-enough', ...more });
}

function resourcesOf(reply: TestReply): readonly Record<string, unknown>[] {
  return reply.json['Resources'] as readonly Record<string, unknown>[];
}

describe('SCIM users', () => {
  it('makes, shows, changes and removes a user', async () => {
    await using ground = await startTestGround();
    const made = await makeUser(ground, 'ada', {
      externalId: 'e-1',
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      emails: [
        { value: 'ada@example.com', primary: true },
        { type: 'home', value: 'ada@home.example' },
      ],
      phoneNumbers: [{ type: 'mobile', value: '+44 1' }],
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Engines' },
    });
    assert.equal(made.status, 201);
    assert.equal(made.headers.get('Content-Type'), 'application/scim+json');
    assert.equal(made.text.includes('long-enough'), false);
    const { id, meta } = made.json as { id: string; meta: { location: string } };
    assert.equal(made.headers.get('Location'), meta.location);
    const shown = await ground.call(`GET /scim2/Users/${id}`);
    assert.deepEqual(shown.json['name'], { givenName: 'Ada', familyName: 'Lovelace' });
    assert.deepEqual(shown.json['emails'], [
      { value: 'ada@example.com', primary: true },
      { type: 'home', value: 'ada@home.example' },
    ]);
    assert.equal(shown.json['active'], true);
    const patched = await ground.call(`PATCH /scim2/Users/${id}`, {
      schemas: [patchSchema],
      Operations: [
        { op: 'Replace', path: 'name.familyName', value: 'Byron' },
        { op: 'add', value: { nickName: 'Countess' } },
        { op: 'remove', path: 'emails[type eq "home"]' },
        { op: 'replace', path: 'active', value: false },
      ],
    });
    assert.equal(patched.status, 200, patched.text);
    assert.deepEqual(patched.json['name'], { givenName: 'Ada', familyName: 'Byron' });
    assert.deepEqual(patched.json['emails'], [{ value: 'ada@example.com', primary: true }]);
    assert.equal(patched.json['nickName'], 'Countess');
    assert.equal(patched.json['active'], false);
    assert.equal((await ground.call('GET /scim2/Me', undefined, 'ada:long-enough')).status, 401);
    const replaced = await ground.call(`PUT /scim2/Users/${id}`, { userName: 'ada', active: true });
    assert.equal(replaced.json['name'], undefined);
    assert.equal((await ground.call('GET /scim2/Me', undefined, 'ada:long-enough')).json['id'], id);
    assert.equal((await ground.call(`DELETE /scim2/Users/${id}`)).status, 204);
    assert.equal((await ground.call(`GET /scim2/Users/${id}`)).status, 404);
  });

  it('finds users by filters, in pages, with the attributes that are asked for', async () => {
    await using ground = await startTestGround();
    for (const name of ['anna', 'bert', 'berta']) {
      await makeUser(ground, name, { emails: [{ value: `${name}@example.com` }] });
    }
    const find = async (query: string): Promise<unknown> =>
      resourcesOf(await ground.call(`GET /scim2/Users?${query}`)).map(({ userName }) => userName);
    assert.deepEqual(await find('filter=userName%20sw%20%22bert%22'), ['bert', 'berta']);
    assert.deepEqual(await find('filter=userName%20eq%20%22BERT%22'), ['bert']);
    assert.deepEqual(await find('filter=emails.value%20co%20%22anna@%22%20or%20userName%20ew%20%22rta%22'), [
      'anna',
      'berta',
    ]);
    assert.deepEqual(await find('filter=not%20(userName%20co%20%22bert%22)%20and%20emails%20pr'), ['anna']);
    assert.deepEqual(await find('startIndex=2&count=2'), ['anna', 'bert']);
    const page = await ground.call('GET /scim2/Users?count=0');
    assert.deepEqual([page.json['totalResults'], page.json['itemsPerPage']], [4, 0]);
    const some = await ground.call('GET /scim2/Users?filter=userName%20eq%20%22anna%22&attributes=emails.value');
    assert.deepEqual(Object.keys(resourcesOf(some)[0] ?? {}).toSorted(), ['emails', 'id', 'schemas']);
    const body = { filter: 'userName eq "anna"', attributes: ['userName'] };
    const searched = await ground.call('POST /scim2/Users/.search', body);
    assert.equal(resourcesOf(searched)[0]?.['userName'], 'anna');
  });

  it('says what is wrong as SCIM does', async () => {
    await using ground = await startTestGround();
    await makeUser(ground, 'taken');
    const refusals: readonly [TestReply, number, string | undefined][] = [
      [await makeUser(ground, 'taken'), 409, 'uniqueness'],
      [await makeUser(ground, 'x'), 400, 'invalidValue'],
      [await ground.call('POST /scim2/Users', { password: 'long-enough' }), 400, 'invalidValue'],
      [await ground.call('GET /scim2/Users?filter=userName%20is%20%22x%22'), 400, 'invalidFilter'],
      [await ground.call('GET /scim2/Users/none'), 404, undefined],
      [await ground.call('GET /scim2/Users', undefined, ''), 401, undefined],
      [await ground.call('GET /scim2/Users', undefined, 'taken:long-enough'), 403, undefined],
    ];
    for (const [reply, status, scimType] of refusals) {
      assert.equal(reply.status, status, reply.text);
      assert.equal(reply.json['status'], String(status));
      assert.equal(reply.json['scimType'], scimType);
    }
  });

  it('shows each tenant its own users only', async () => {
    await using ground = await startTestGround();
    const { tenants } = ground.administration;
    const facts = { adminName: 'boss', adminPassword: 'boss-password', email: 'boss@acme.com' };
    await tenants.create({ domain: 'acme.com', ...facts });
    const { id } = (await makeUser(ground, 'ours')).json;
    const theirs = await ground.call('GET /t/acme.com/scim2/Users', undefined, 'boss@acme.com:boss-password');
    assert.deepEqual(
      resourcesOf(theirs).map(({ userName }) => userName),
      ['boss'],
    );
    const path = `/t/acme.com/scim2/Users/${String(id)}`;
    assert.equal((await ground.call(`GET ${path}`, undefined, 'boss@acme.com:boss-password')).status, 404);
    assert.equal((await ground.call('GET /t/acme.com/scim2/Users')).status, 401);
    assert.equal((await ground.call('GET /scim2/Users', undefined, 'boss@acme.com:boss-password')).status, 403);
  });

  it('takes no users into a store that is closed to it, and lists none of it', async () => {
    await using ground = await startTestGround('[user_store.properties]\nSCIMEnabled = false');
    assert.equal((await makeUser(ground, 'ada')).status, 400);
    assert.equal((await ground.call('GET /scim2/Users')).json['totalResults'], 0);
  });
});

describe('SCIM groups and bulk', () => {
  it('gives members of a group its role, and takes it away', async () => {
    await using ground = await startTestGround();
    const { id } = (await makeUser(ground, 'ada')).json as { id: string };
    const made = await ground.call('POST /scim2/Groups', { displayName: 'engineers', members: [{ value: id }] });
    assert.equal(made.status, 201, made.text);
    const group = String(made.json['id']);
    const user = await ground.call(`GET /scim2/Users/${id}`);
    assert.deepEqual(
      (user.json['groups'] as { display: string }[]).map(({ display }) => display),
      ['engineers'],
    );
    const patched = await ground.call(`PATCH /scim2/Groups/${group}`, {
      Operations: [{ op: 'remove', path: `members[value eq "${id}"]` }],
    });
    assert.deepEqual(patched.json['members'], []);
    const again = { displayName: 'ENGINEERS' };
    assert.equal((await ground.call('POST /scim2/Groups', again)).json['scimType'], 'uniqueness');
    const found = await ground.call('GET /scim2/Groups?filter=displayName%20eq%20%22engineers%22');
    assert.equal(resourcesOf(found).length, 1);
    assert.equal((await ground.call(`DELETE /scim2/Groups/${group}`)).status, 204);
  });

  it('performs several operations, which may name each other', async () => {
    await using ground = await startTestGround();
    const reply = await ground.call('POST /scim2/Bulk', {
      failOnErrors: 1,
      Operations: [
        { method: 'POST', path: '/Users', bulkId: 'u', data: { userName: 'bulky', password: 'long-enough' } },
        {
          method: 'POST',
          path: '/Groups',
          bulkId: 'g',
          data: { displayName: 'team', members: [{ value: 'bulkId:u' }] },
        },
        { method: 'DELETE', path: '/Users/none' },
        { method: 'DELETE', path: '/Users/never-tried' },
      ],
    });
    const results = reply.json['Operations'] as { status: string }[];
    assert.deepEqual(
      results.map(({ status }) => status),
      ['201', '201', '404'],
    );
    const [group] = resourcesOf(await ground.call('GET /scim2/Groups?filter=displayName%20eq%20%22team%22'));
    assert.ok(group);
    assert.equal((group['members'] as unknown[]).length, 1);
  });

  it('tells everybody what it can do', async () => {
    await using ground = await startTestGround();
    const config = await ground.call('GET /scim2/ServiceProviderConfig', undefined, '');
    assert.deepEqual(config.json['filter'], { supported: true, maxResults: 200 });
    assert.equal((await ground.call('GET /scim2/ResourceTypes', undefined, '')).json['totalResults'], 2);
    assert.equal((await ground.call('GET /scim2/Schemas', undefined, '')).json['totalResults'], 3);
    assert.equal((await ground.call('GET /scim2/openapi.json', undefined, '')).status, 200);
  });
});
