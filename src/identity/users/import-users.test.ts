import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestGround } from '../test-ground.ts';
import { superTenant } from '../tenants/tenant.ts';
import { parseCsv } from './csv.ts';
import { importUsers, readImport } from './import-users.ts';

const mail = 'http://wso2.org/claims/emailaddress';

test('values in quotes hold commas, quotes and line ends, and empty lines count only as lines', () => {
  assert.deepEqual(parseCsv('\uFEFFa, b ,\r\n\r\n "x, ""y""\nz" ,1', 'f.csv'), [
    { values: ['a', 'b', ''], line: 1 },
    { values: ['x, "y"\nz', '1'], line: 3 },
  ]);
  assert.deepEqual(parseCsv('', 'f.csv'), []);
  assert.throws(() => parseCsv('a\n"b', 'f.csv'), { code: 'MR_USER_IMPORT', message: /^f\.csv:2:1: .*does not end/ });
});

test('a file of users makes those that can be made, and says why not of the others', async () => {
  await using ground = await startTestGround();
  const { users } = ground.administration;
  const text = `UserName,Password,Claims
ada,long-enough,${mail}=ada@example.com,http://wso2.org/claims/role=admin
admin,long-enough
grace,x`;
  const done = await importUsers(ground.administration, superTenant, readImport(text, 'people.csv'));
  assert.deepEqual(
    done.map(({ name, line, problem }) => [name, line, problem?.replace(/\^.*/, '')]),
    [
      ['ada', 2, undefined],
      ['admin', 3, 'There is a user "admin" already'],
      ['grace', 4, 'The password does not match '],
    ],
  );
  const ada = await users.find(superTenant, 'ada');
  assert.ok(ada);
  assert.equal((await users.claims(ada, [mail])).get(mail), 'ada@example.com');
  assert.ok((await users.roles(ada)).includes('admin'));
});

test('what a line lacks is told with its place', () => {
  assert.throws(() => readImport('h\nada', 'people.csv'), {
    message: /^people\.csv:2:1: expected a user name and a pass/,
  });
  assert.throws(() => readImport('h\nada,secret,what', 'people.csv'), { message: /^people\.csv:2:1: .*found "what"/ });
});
