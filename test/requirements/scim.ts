import assert from 'node:assert/strict';
import { startTestGround, type TestGround, type TestReply } from '../../src/identity/test-ground.ts';
import type { Requirement } from './flows.ts';

const message = (name: string): string => `urn:ietf:params:scim:api:messages:2.0:${name}`;
const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';

/** A requirement of what has users of its own, beside those of the authorization server. */
function ofGround(name: string, show: (ground: TestGround) => Promise<void>): Requirement {
  return [
    name,
    async () => {
      await using ground = await startTestGround();
      await show(ground);
    },
  ];
}

function makeUser(ground: TestGround, name: string, more: object = {}): Promise<TestReply> {
  return ground.call('POST /scim2/Users', { schemas: [userSchema], userName: name, password: 'long-enough', ...more });
}

function patch(ground: TestGround, id: unknown, operations: readonly unknown[]): Promise<TestReply> {
  const body = { schemas: [message('PatchOp')], Operations: operations };
  return ground.call(`PATCH /scim2/Users/${String(id)}`, body);
}

/** What SCIM 2.0 demands of a service provider. */
export const scim: readonly Requirement[] = [
  ofGround('RFC 7644 2: who does not authenticate gets 401 with a challenge', async (ground) => {
    const reply = await ground.call('GET /scim2/Users', undefined, '');
    assert.equal(reply.status, 401);
    assert.match(reply.headers.get('WWW-Authenticate') ?? '', /^Basic realm=/);
  }),
  ofGround('RFC 7644 3.1, 8.1: bodies are of type application/scim+json', async (ground) => {
    const made = await makeUser(ground, 'ada');
    assert.match(made.headers.get('Content-Type') ?? '', /^application\/scim\+json/);
    const refused = await ground.call('GET /scim2/Users/none');
    assert.match(refused.headers.get('Content-Type') ?? '', /^application\/scim\+json/);
  }),
  ofGround('RFC 7644 3.3: what is made is answered with 201 and where it is', async (ground) => {
    const made = await makeUser(ground, 'ada');
    const { location, resourceType } = made.json['meta'] as Record<string, unknown>;
    assert.equal(made.status, 201);
    assert.equal(made.headers.get('Location'), location);
    assert.equal(resourceType, 'User');
    const { status, json } = await ground.call(`GET ${new URL(String(location)).pathname}`);
    assert.deepEqual([status, json['id']], [200, made.json['id']]);
  }),
  ofGround('RFC 7644 3.3: what the server alone decides is ignored in a request', async (ground) => {
    const made = await makeUser(ground, 'ada', {
      id: 'mine',
      meta: { resourceType: 'Group' },
      groups: [{ value: 'x' }],
    });
    assert.equal(made.status, 201);
    assert.notEqual(made.json['id'], 'mine');
    assert.equal((made.json['meta'] as Record<string, unknown>)['resourceType'], 'User');
  }),
  ofGround('RFC 7644 3.3, 3.12: a name that is taken is 409 with uniqueness', async (ground) => {
    await makeUser(ground, 'ada');
    const again = await makeUser(ground, 'ada');
    assert.equal(again.status, 409);
    assert.deepEqual(again.json['schemas'], [message('Error')]);
    assert.deepEqual([again.json['status'], again.json['scimType']], ['409', 'uniqueness']);
  }),
  ofGround('RFC 7644 3.4.2: a query gives a list with the count of all, an empty one too', async (ground) => {
    const none = await ground.call('GET /scim2/Users?filter=userName%20eq%20%22nobody%22');
    assert.equal(none.status, 200);
    assert.deepEqual([none.json['schemas'], none.json['totalResults']], [[message('ListResponse')], 0]);
  }),
  ofGround('RFC 7644 3.4.2.2: operators and names of attributes are read without regard to case', async (ground) => {
    await makeUser(ground, 'ada');
    const reply = await ground.call('GET /scim2/Users?filter=USERNAME%20EQ%20%22ada%22');
    assert.equal(reply.json['totalResults'], 1);
  }),
  ofGround('RFC 7644 3.4.2.2: a filter that cannot be read is 400 with invalidFilter', async (ground) => {
    const reply = await ground.call('GET /scim2/Users?filter=userName%20resembles%20%22a%22');
    assert.deepEqual([reply.status, reply.json['scimType']], [400, 'invalidFilter']);
  }),
  ofGround('RFC 7644 3.4.2.4: pages begin at one, and what is below it is one', async (ground) => {
    for (const name of ['ada', 'bob', 'cyd']) await makeUser(ground, name);
    const page = await ground.call('GET /scim2/Users?startIndex=2&count=1');
    assert.deepEqual([page.json['startIndex'], page.json['itemsPerPage'], page.json['totalResults']], [2, 1, 4]);
    assert.equal((await ground.call('GET /scim2/Users?startIndex=0')).json['startIndex'], 1);
    const none = await ground.call('GET /scim2/Users?count=0');
    assert.deepEqual([none.json['totalResults'], none.json['Resources'] ?? []], [4, []]);
  }),
  ofGround('RFC 7644 3.4.2.5, 3.9: attributes are chosen or left out, the id stays', async (ground) => {
    const { json } = await makeUser(ground, 'ada', { nickName: 'Countess' });
    const path = `GET /scim2/Users/${String(json['id'])}`;
    const chosen = (await ground.call(`${path}?attributes=userName`)).json;
    assert.deepEqual([chosen['userName'], chosen['nickName'], chosen['id']], ['ada', undefined, json['id']]);
    const without = (await ground.call(`${path}?excludedAttributes=nickName,id`)).json;
    assert.deepEqual([without['nickName'], without['id']], [undefined, json['id']]);
  }),
  ofGround('RFC 7644 3.4.3: a query may be posted', async (ground) => {
    await makeUser(ground, 'ada');
    const query = { schemas: [message('SearchRequest')], filter: 'userName eq "ada"' };
    const reply = await ground.call('POST /scim2/Users/.search', query);
    assert.deepEqual([reply.status, reply.json['totalResults']], [200, 1]);
  }),
  ofGround('RFC 7644 3.5.1: replacing makes nothing new', async (ground) => {
    const reply = await ground.call('PUT /scim2/Users/none', { schemas: [userSchema], userName: 'none' });
    assert.equal(reply.status, 404);
  }),
  ofGround('RFC 7644 3.5.2: a patch that fails in one part changes nothing', async (ground) => {
    const { json } = await makeUser(ground, 'ada', { nickName: 'Countess' });
    const reply = await patch(ground, json['id'], [
      { op: 'replace', path: 'nickName', value: 'Duchess' },
      { op: 'replace', path: 'emails[', value: 'x' },
    ]);
    assert.deepEqual([reply.status, reply.json['scimType']], [400, 'invalidPath']);
    const now = await ground.call(`GET /scim2/Users/${String(json['id'])}`);
    assert.equal(now.json['nickName'], 'Countess');
  }),
  ofGround('RFC 7644 3.5.2.2: removing needs a path', async (ground) => {
    const { json } = await makeUser(ground, 'ada');
    const reply = await patch(ground, json['id'], [{ op: 'remove' }]);
    assert.deepEqual([reply.status, reply.json['scimType']], [400, 'noTarget']);
  }),
  ofGround('RFC 7644 3.6: what was deleted is 404, deleted again too', async (ground) => {
    const { json } = await makeUser(ground, 'ada');
    const path = `/scim2/Users/${String(json['id'])}`;
    assert.equal((await ground.call(`DELETE ${path}`)).status, 204);
    assert.equal((await ground.call(`GET ${path}`)).status, 404);
    assert.equal((await ground.call(`DELETE ${path}`)).status, 404);
  }),
  ofGround('RFC 7644 3.7: several operations are answered one by one', async (ground) => {
    const reply = await ground.call('POST /scim2/Bulk', {
      schemas: [message('BulkRequest')],
      Operations: [
        { method: 'POST', path: '/Users', bulkId: 'a', data: { userName: 'ada', password: 'long-enough' } },
        { method: 'DELETE', path: '/Users/none' },
      ],
    });
    const operations = reply.json['Operations'] as readonly Record<string, unknown>[];
    assert.deepEqual(reply.json['schemas'], [message('BulkResponse')]);
    assert.deepEqual(
      operations.map(({ status }) => String(status)),
      ['201', '404'],
    );
    assert.equal(operations[0]?.['bulkId'], 'a');
  }),
  ofGround('RFC 7643 7, 8.7: a password is never shown', async (ground) => {
    const made = await makeUser(ground, 'ada');
    const shown = await ground.call(`GET /scim2/Users/${String(made.json['id'])}?attributes=password`);
    for (const { text } of [made, shown]) assert.equal(text.includes('long-enough'), false);
  }),
  ofGround('RFC 7644 4: what the server can do is told by GET alone', async (ground) => {
    for (const name of ['ServiceProviderConfig', 'ResourceTypes', 'Schemas']) {
      assert.equal((await ground.call(`GET /scim2/${name}`, undefined, '')).status, 200, name);
      assert.equal((await ground.call(`DELETE /scim2/${name}`)).status, 405, name);
    }
    const { json } = await ground.call('GET /scim2/ServiceProviderConfig', undefined, '');
    for (const name of ['patch', 'bulk', 'filter', 'changePassword', 'sort', 'etag']) {
      assert.equal(typeof (json[name] as { supported?: unknown }).supported, 'boolean', name);
    }
    assert.ok(Array.isArray(json['authenticationSchemes']));
  }),
];
