import { defineSection, key } from './define.ts';
import { bag, boolean, className, duration, integer, oneOf, port, secret, text } from './types.ts';

export const databaseConfiguration = defineSection({
  path: 'database_configuration',
  doc: 'The embedded database.',
  keys: {
    enableH2Console: key('enable_h2_console', boolean(), {
      required: true,
      default: false,
      doc: 'Browse the embedded database from a browser.',
      mapped:
        'serves /h2-console: a read-only page for the embedded database, on loopback only, for super administrators.',
    }),
  },
});

export const databaseApimDb = defineSection({
  path: 'database.apim_db',
  doc: 'The database of APIs, applications and tokens.',
  keys: {
    type: key('type', oneOf('mysql', 'h2', 'mssql', 'postgre', 'oracle', 'db2', 'mariadb'), {
      required: true,
      default: 'h2',
      doc: 'Database vendor.',
      mapped:
        'selects driver: h2 -> embedded SQL engine in a file, mysql, mssql, postgre -> native Node drivers, oracle, db2 -> optional driver packages (start-up error naming the package when missing).',
    }),
    hostname: key('hostname', text(), {
      note: 'hostname and port are alternatives to url',
      doc: 'Host (alternative to url).',
      effect: 'part of the connection when url is absent.',
    }),
    port: key('port', port(), {
      note: 'hostname and port are alternatives to url',
      doc: 'Port (alternative to url).',
      effect: 'part of the connection when url is absent.',
    }),
    url: key('url', text(), {
      default: 'jdbc:h2:repository/database/WSO2AM_DB;DB_CLOSE_ON_EXIT=FALSE',
      doc: 'JDBC URL; wins over hostname and port.',
      mapped:
        'JDBC URL parsed into host, port, database and options; jdbc:h2:<path> becomes a database file at that path below the home directory; unknown option names are logged.',
    }),
    username: key('username', text(), {
      required: true,
      doc: 'Connection user.',
      effect: 'connection user.',
    }),
    password: key('password', secret(), {
      required: true,
      doc: 'Connection password.',
      effect: 'connection password.',
    }),
    validationQuery: key('validationQuery', text(), {
      required: true,
      default: 'SELECT 1',
      doc: 'Query that validates a connection.',
      effect: 'run when a connection is borrowed and by the data source health checker.',
    }),
    poolOptionsMaxActive: key('pool_options.maxActive', integer({ min: 0 }), {
      default: 50,
      aliases: ['pool_options.max_active'],
      doc: 'Maximum active pooled connections.',
      effect: 'pool maximum.',
    }),
    poolOptionsMaxWait: key('pool_options.maxWait', duration('ms'), {
      default: 60000,
      aliases: ['pool_options.max_wait'],
      doc: 'Maximum wait for a connection.',
      effect: 'acquire timeout; expiry is an error of the request, not of the pool.',
    }),
    poolOptionsTestOnBorrow: key('pool_options.testOnBorrow', boolean(), {
      default: true,
      aliases: ['pool_options.test_on_borrow'],
      doc: 'Validate before lending.',
      effect: 'run validationQuery on borrow; drop and retry on failure.',
    }),
    poolOptionsValidationInterval: key('pool_options.validationInterval', duration('ms'), {
      default: 30000,
      aliases: ['pool_options.validation_interval'],
      doc: 'Minimum time between validations of a connection.',
      effect: 'skips validation when the last one is younger.',
    }),
    poolOptionsDefaultAutoCommit: key('pool_options.defaultAutoCommit', boolean(), {
      default: true,
      aliases: ['pool_options.default_auto_commit'],
      doc: 'Each statement is its own transaction.',
      effect: 'false makes the data layer open an explicit transaction per unit of work.',
    }),
  },
});

export const databaseSharedDb = defineSection({
  path: 'database.shared_db',
  doc: 'The database of users and registry, shared by nodes.',
  keys: {
    type: key('type', oneOf('mysql', 'h2', 'mssql', 'postgre', 'oracle', 'db2', 'mariadb'), {
      default: 'h2',
      doc: 'Database vendor.',
      mapped:
        'selects driver: h2 -> embedded SQL engine in a file, mysql, mssql, postgre -> native Node drivers, oracle, db2 -> optional driver packages (start-up error naming the package when missing).',
    }),
    url: key('url', text(), {
      default: 'jdbc:h2:repository/database/WSO2SHARED_DB;DB_CLOSE_ON_EXIT=FALSE',
      doc: 'JDBC URL; wins over hostname and port.',
      mapped:
        'JDBC URL parsed into host, port, database and options; jdbc:h2:<path> becomes a database file at that path below the home directory; unknown option names are logged.',
    }),
    username: key('username', text(), {
      doc: 'Connection user.',
      effect: 'connection user.',
    }),
    password: key('password', secret(), {
      doc: 'Connection password.',
      effect: 'connection password.',
    }),
  },
});

export const databaseLocal = defineSection({
  path: 'database.local',
  doc: 'The local registry database.',
  keys: {
    url: key('url', text(), {
      default: 'jdbc:h2:./repository/database/WSO2CARBON_DB;DB_CLOSE_ON_EXIT=FALSE;DB_CLOSE_DELAY=-1',
      additional: true,
      doc: 'Local registry database (never shared).',
      mapped: 'second embedded database file for node-local registry data.',
    }),
  },
});

export const datasource = defineSection({
  path: 'datasource',
  repeated: true,
  doc: 'Data sources that artifacts name.',
  keys: {
    id: key('id', text(), {
      additional: true,
      doc: 'Name of the data source; artifacts call it jdbc/<id>.',
      effect: 'name of the pool.',
    }),
    url: key('url', text(), {
      additional: true,
      doc: 'JDBC URL.',
      effect: 'read into host, port, database and options.',
    }),
    username: key('username', text(), { additional: true, doc: 'Connection user.', effect: 'connection user.' }),
    password: key('password', secret(), {
      additional: true,
      doc: 'Connection password.',
      effect: 'connection password.',
    }),
    driver: key('driver', className(), {
      additional: true,
      doc: 'JDBC driver class.',
      inert: 'the URL names the vendor, and with it the driver that is built in.',
    }),
    poolOptions: key('pool_options', bag(), {
      additional: true,
      doc: 'Options of the pool.',
      effect: 'as in [database.<name>].',
    }),
    jmxEnable: key('jmx_enable', boolean(), {
      additional: true,
      doc: 'Pool figures.',
      inert: 'pool figures appear among the metrics in any case.',
    }),
  },
});
