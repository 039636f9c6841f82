import { defineCommand } from 'citty';
import { describeKey } from '#identity';
import { administer, administrationOptions, change, tenantOption, type Rows } from '../administration.ts';

const options = { ...administrationOptions, ...tenantOption } as const;

const list = defineCommand({
  meta: {
    name: 'list',
    description:
      'Lists the keys that are published: current ones sign, next ones will, former ones stay until their last token ' +
      'has ended.\n\nExample: millrace key list --home ./home\n',
  },
  args: options,
  run: ({ args }) =>
    administer(args, async ({ keys }, tenant) => {
      await keys.current(tenant);
      return (await keys.list(tenant)).map(rowOf);
    }),
});

const rotate = defineCommand({
  meta: {
    name: 'rotate',
    description:
      'Makes a key that follows the present one: it is published at once and signs ten minutes later, when all ' +
      'verifiers have had time to see it.\n\nExample: millrace key rotate --algorithm ES256 --home ./home\n',
  },
  args: {
    algorithm: {
      type: 'enum',
      options: ['RS256', 'ES256'],
      description: 'Algorithm of the key',
      default: 'RS256',
    },
    immediately: { type: 'boolean', description: 'Signs with it without delay' },
    ...options,
  },
  run: ({ args }) =>
    change(args, { action: 'rotated', target: 'signing-key' }, async ({ keys }, tenant) => {
      const made = await keys.rotate(tenant, args.algorithm, { immediately: args.immediately === true });
      return (await keys.list(tenant)).filter(({ key }) => key.id === made.id).map(rowOf);
    }),
});

const revoke = defineCommand({
  meta: {
    name: 'revoke',
    description:
      'Ends the publication of a key at once, as when it was stolen: tokens that it signed are not good any more. One ' +
      'that signs is replaced.\n\nExample: millrace key revoke KID --home ./home\n',
  },
  args: { kid: { type: 'positional', required: true, description: 'Id of the key' }, ...options },
  run: ({ args }) =>
    change(args, { action: 'revoked', target: `signing-key:${args.kid}` }, async ({ keys }, tenant) => {
      await keys.revoke(tenant, args.kid);
      return `revoked ${args.kid}`;
    }),
});

/** `millrace key …`: the keys that sign tokens. */
export const keyCommand = defineCommand({
  meta: { name: 'key', description: 'Signing keys of a home\n\nExample: millrace key list --home ./home' },
  subCommands: { list, rotate, revoke },
});

function rowOf(key: Parameters<typeof describeKey>[0]): Rows[number] {
  const described = describeKey(key);
  return { ...described, publishedUntil: described.publishedUntil ?? '' };
}
