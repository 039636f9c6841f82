import { defineSection, key } from '../define.ts';
import { boolean, oneOf, secret, text } from '../types.ts';

export const dashboardMiUserStore = defineSection({
  path: 'mi_user_store',
  file: 'dashboard',
  doc: 'The account with which the dashboard signs in to runtimes.',
  keys: {
    username: key('username', text(), {
      required: true,
      aliases: ['mi_super_admin.username'],
      doc: 'User for signing in to runtimes.',
      effect:
        'user name of the Basic login sent to each runtime management API (GET /management/login); the JWT returned is cached per runtime.',
    }),
    password: key('password', secret(), {
      required: true,
      aliases: ['mi_super_admin.password'],
      doc: 'Password of that user.',
      effect: 'password of the same login; never logged; may be $secret{}, $env{}, $sys{}.',
    }),
  },
});

export const dashboardInternalApis = defineSection({
  path: 'internal_apis',
  file: 'dashboard',
  doc: 'Accounts of the dashboard.',
  keys: {
    fileUserStoreEnable: key('file_user_store.enable', boolean(), {
      default: true,
      additional: true,
      doc: 'Users listed in the file.',
      effect: 'enables the local user list below; when false the user_store section decides.',
    }),
  },
});

export const dashboardInternalApisUsers = defineSection({
  path: 'internal_apis.users',
  repeated: true,
  file: 'dashboard',
  doc: 'Accounts kept in the file.',
  keys: {
    userName: key('user.name', text(), {
      required: true,
      default: 'admin',
      additional: true,
      doc: 'User name.',
      effect: 'account of the file user store.',
    }),
    userPassword: key('user.password', secret(), {
      required: true,
      default: 'admin',
      additional: true,
      doc: 'Password.',
      effect: 'checked at sign-in; stored hashed in memory only.',
    }),
    userIsAdmin: key('user.is_admin', boolean(), {
      default: true,
      additional: true,
      doc: 'Whether the user is an administrator.',
      effect: 'may call the resources of administrators.',
    }),
  },
});

export const dashboardUserStore = defineSection({
  path: 'user_store',
  file: 'dashboard',
  doc: 'Where users are kept.',
  keys: {
    type: key('type', oneOf('database', 'read_only_ldap', 'read_write_ldap'), {
      additional: true,
      doc: 'External user store of the dashboard.',
      inert:
        'without users of its own the dashboard asks a runtime who signs in, and the user store of that runtime decides.',
    }),
  },
});

export const dashboardBalServiceAccount = defineSection({
  path: 'bal_service_account',
  file: 'dashboard',
  doc: 'The account of another kind of runtime.',
  keys: {
    username: key('username', text(), {
      additional: true,
      doc: 'Account for runtimes of the second kind.',
      inert: 'there is no second kind of runtime.',
    }),
    password: key('password', secret(), {
      additional: true,
      doc: 'Its password.',
      inert: 'there is no second kind of runtime.',
    }),
  },
});
