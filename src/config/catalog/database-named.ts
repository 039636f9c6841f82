import { defineSection, key } from './define.ts';
import { bag, boolean, className, duration, integer, oneOf, port, secret, text } from './types.ts';

/** The keys of every `[database.<name>]`; the databases that the documents name have defaults of their own. */
export const database = defineSection({
  path: 'database.<name>',
  doc: 'Any database, by a name of its own.',
  keys: {
    type: key('type', oneOf('mysql', 'h2', 'mssql', 'postgre', 'oracle', 'db2', 'mariadb'), {
      additional: true,
      doc: 'Database vendor.',
      mapped: 'selects the driver; taken from the URL when absent.',
    }),
    hostname: key('hostname', text(), { additional: true, doc: 'Host.', effect: 'used when url is absent.' }),
    port: key('port', port(), { additional: true, doc: 'Port.', effect: 'used when url is absent.' }),
    url: key('url', text(), {
      additional: true,
      doc: 'JDBC URL; wins over hostname and port.',
      mapped: 'read into host, port, database and options.',
    }),
    username: key('username', text(), { additional: true, doc: 'Connection user.', effect: 'connection user.' }),
    password: key('password', secret(), {
      additional: true,
      doc: 'Connection password.',
      effect: 'connection password.',
    }),
    validationQuery: key('validationQuery', text(), {
      additional: true,
      aliases: ['validation_query', 'pool_options.validationQuery', 'pool_options.validation_query'],
      doc: 'Query that tests a connection.',
      effect: 'sent before a connection is lent.',
    }),
    maxActive: key('pool_options.maxActive', integer({ min: 1 }), {
      additional: true,
      aliases: ['pool_options.max_active'],
      doc: 'Connections in use at once.',
      effect: 'size of the pool.',
    }),
    maxWait: key('pool_options.maxWait', duration('ms', { min: -1 }), {
      additional: true,
      aliases: ['pool_options.max_wait'],
      doc: 'Wait for a free connection.',
      effect: 'time after which a request for a connection fails; -1 waits for ever.',
    }),
    testOnBorrow: key('pool_options.testOnBorrow', boolean(), {
      additional: true,
      aliases: ['pool_options.test_on_borrow'],
      doc: 'Tests connections before lending.',
      effect: 'a connection that fails the test is replaced.',
    }),
    validationInterval: key('pool_options.validationInterval', duration('ms'), {
      additional: true,
      aliases: ['pool_options.validation_interval'],
      doc: 'Shortest time between tests of a connection.',
      effect: 'a connection tested within this time is lent untested.',
    }),
    defaultAutoCommit: key('pool_options.defaultAutoCommit', boolean(), {
      additional: true,
      aliases: ['pool_options.default_auto_commit'],
      doc: 'Each statement is a transaction.',
      effect: 'mode of lent connections.',
    }),
    name: key('name', text(), {
      additional: true,
      doc: 'Database name.',
      effect: 'used with hostname and port when url is absent.',
    }),
    sid: key('sid', text(), { additional: true, doc: 'Oracle system identifier.', effect: 'used when url is absent.' }),
    driver: key('driver', className(), {
      additional: true,
      doc: 'JDBC driver class.',
      mapped: 'names the vendor when type is absent.',
    }),
    properties: key('db_props.<name>', bag(), {
      additional: true,
      doc: 'Driver properties.',
      mapped: 'added to the options of the URL.',
    }),
    poolOptions: key('pool_options.<other>', bag(), {
      additional: true,
      doc: 'Further pool options.',
      mapped: 'maxIdle and minEvictableIdleTimeMillis have counterparts; others are accepted with a warning.',
    }),
    jmxEnable: key('jmx_enable', boolean(), {
      default: false,
      additional: true,
      doc: 'Pool figures.',
      inert: 'there are no beans of a Java virtual machine to look at.',
    }),
  },
});
