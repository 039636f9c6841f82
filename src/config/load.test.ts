import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as keys from './index.ts';
import { loadConfig, usableConfig } from './load.ts';

const load = (text: string, options: { strict?: boolean } = {}) =>
  loadConfig({ text, file: 'f.toml', env: {}, systemProperties: {}, ...options });

const found = (text: string) =>
  load(text).problems.map(
    ({ code, severity, position }) => `${severity} ${code} ${position?.line}:${position?.column}`,
  );

test('a written value is read as the type of its key, an absent one is the default', () => {
  const { config, problems } = load('[server]\noffset = "3"\nhostname = "gw.example"');
  assert.deepEqual(problems, []);
  assert.equal(config.get(keys.server.offset), 3);
  assert.equal(config.get(keys.server.mode), 'single');
  assert.deepEqual([config.has(keys.server.offset), config.has(keys.server.mode)], [true, false]);
  assert.deepEqual(config.position(keys.server.offset), { file: 'f.toml', line: 2, column: 10 });
});

test('durations are in the unit of their key, or in milliseconds when asked for', () => {
  const { config } = load('[apim.cache.gateway_token]\nexpiry_time = "20m"');
  assert.equal(config.get(keys.apimCacheGatewayToken.expiryTime), 1200);
  assert.equal(config.milliseconds(keys.apimCacheGatewayToken.expiryTime), 1_200_000);
});

test('booleans and numbers may be quoted, other texts are refused', () => {
  for (const text of ['true', '"true"', '"TRUE"', '"True"']) {
    assert.equal(load(`[apim.jwt]\nenable = ${text}`).config.get(keys.apimJwt.enable), true);
  }
  assert.deepEqual(found('[apim.jwt]\nenable = "yes"'), ['error MR_CONFIG_VALUE 2:10']);
  assert.deepEqual(found('[server]\noffset = -1'), ['error MR_CONFIG_VALUE 2:10']);
  assert.deepEqual(found('[passthru_http]\nworker_pool_queue_length = -1'), []);
});

test('a value outside the allowed set is refused with the right spelling as hint', () => {
  const [problem] = load('[server]\nmode = "Single"').problems;
  assert.equal(problem?.message, 'server.mode expects one of single, ha, not "Single"');
  assert.equal(problem.hint, 'write "single": upper and lower case count');
  assert.equal(problem.excerpt, 'mode = "Single"');
});

test('a refused secret is not repeated in the message', () => {
  const { problems } = load('[super_admin]\npassword = ["a"]');
  assert.equal(problems[0]?.message, 'super_admin.password expects a text');
});

test('lists are arrays or one text', () => {
  const { config } = load('[apim.cors]\nallow_origins = "https://a, https://b"\nallow_methods = ["GET"]');
  assert.deepEqual(config.get(keys.apimCors.allowOrigins), ['https://a', 'https://b']);
  assert.deepEqual(config.get(keys.apimCors.allowMethods), ['GET']);
});

test('quoted and unquoted dotted names are the same key', () => {
  for (const text of ["'http.socket.timeout' = '1m'", 'http.socket.timeout = 60000']) {
    assert.equal(load(`[passthru_http]\n${text}`).config.get(keys.passthruHttp.httpSocketTimeout), 60_000);
  }
});

test('other spellings set the key that they stand for', () => {
  const { config, problems } = load(`
[transport.http]
listener.secured_port = 9000
listener.port = 9001
socket_timeout = 5
[synapse_properties]
'synapse.global_timeout_interval' = "7s"
[user_store]
type = "database"
user_name_list_filter = "(x=y)"
[mediation]
flow.statistics.enable = true`);
  assert.deepEqual(problems, []);
  assert.equal(config.get(keys.transportPassthruHttps.listenerParametersPort), 9000);
  assert.equal(config.get(keys.passthruHttpTransport.listenerPort), 9001);
  assert.equal(config.get(keys.passthruHttp.httpSocketTimeout), 5);
  assert.equal(config.get(keys.mediation.synapseGlobalTimeoutInterval), 7000);
  assert.equal(config.get(keys.userStoreProperties.userNameListFilter), '(x=y)');
  assert.equal(config.get(keys.mediation.flowStatisticsEnable), true);
});

test('the canonical spelling beats the others and a contradiction is reported', () => {
  const text = '[server]\nenable_mtom = true\nenableMTOM = false';
  assert.equal(load(text).config.get(keys.server.enableMtom), false);
  assert.deepEqual(found(text), ['warning MR_CONFIG_CONTRADICTION 2:1']);
  assert.deepEqual(found('[server]\nenable_mtom = true\nenableMTOM = true'), []);
});

test('a reversed spelling is turned round', () => {
  const { config } = load('[apim.oauth_config]\nremove_outbound_auth_header = "false"');
  assert.equal(config.get(keys.apimOauthConfig.enableOutboundAuthHeader), true);
});

test('[x] is taken where [[x]] is expected, and the reverse', () => {
  const single = load(
    '[apim.gateway.environment]\nname = "A"\nws_endpoint = "ws://a"\nhttps_endpoint = "https://a"',
  ).config;
  assert.deepEqual(
    single.list(keys.apimGatewayEnvironment).map((item) => item.get(keys.apimGatewayEnvironment.name)),
    ['A'],
  );
  const tasks = load('[[multi_tenancy.throttling_manager_tasks]]\nparameters.interval = 5').config;
  assert.equal(tasks.get(keys.multiTenancyThrottlingManagerTasksParameters.interval), 5);
  const handlers = load('[[synapse_handlers]]\nname = "h"\nclass = "C"').config;
  assert.deepEqual(
    handlers.list(keys.synapseHandler).map((item) => [item.name, item.get(keys.synapseHandler.class)]),
    [['h', 'C']],
  );
});

test('tables of an array are read apart, with their own sub-tables', () => {
  const { config } = load(`
[[apim.jwt.issuer]]
name = "one"
[apim.jwt.issuer.jwks]
url = "https://one"
[[apim.jwt.issuer.claim_mapping]]
remote_claim = "a"
[[apim.jwt.issuer]]
name = "two"`);
  const issuers = config.list(keys.apimJwtIssuer);
  assert.deepEqual(
    issuers.map((issuer) => [issuer.get(keys.apimJwtIssuer.name), issuer.get(keys.apimJwtIssuerJwks.url)]),
    [
      ['one', 'https://one'],
      ['two', undefined],
    ],
  );
  assert.equal(issuers[0]?.list(keys.apimJwtIssuerClaimMapping).length, 1);
  assert.equal(issuers[1]?.list(keys.apimJwtIssuerClaimMapping).length, 0);
  assert.equal(issuers[1]?.at?.line, 8);
});

test('tables with names of their own are listed by name', () => {
  const { config } = load(`
[database.apim_db]
url = "jdbc:postgresql://h/db"
username = "u"
password = "p"
[database.extra]
type = "oracle"
pool_options.max_active = 7
pool_options.minIdle = 2`);
  const databases = config.list(keys.database);
  assert.deepEqual(
    databases.map(({ name }) => name),
    ['apim_db', 'extra'],
  );
  assert.deepEqual(
    databases.map((item) => item.get(keys.database.type)),
    ['postgre', 'oracle'],
  );
  assert.deepEqual(
    databases.map((item) => item.get(keys.database.validationQuery)),
    ['SELECT 1; COMMIT', 'SELECT 1 FROM DUAL'],
  );
  assert.equal(databases[1]?.get(keys.database.maxActive), 7);
  assert.deepEqual(databases[1]?.get(keys.database.poolOptions), { maxActive: '7', minIdle: '2' });
  assert.equal(config.named(keys.database, 'shared_db').get(keys.database.type), 'h2');
  assert.equal(config.named(keys.connector, 'https').get(keys.connector.certificateVerification), 'false');
});

test('tables with names are taken where an array of tables is expected', () => {
  const { config, problems } = load(
    '[datasource.Orders]\nid = "Orders"\nurl = "jdbc:h2:./a"\n[datasource.Stock]\nid = "Stock"',
  );
  assert.deepEqual(problems, []);
  assert.deepEqual(
    config.list(keys.datasource).map((item) => item.get(keys.datasource.id)),
    ['Orders', 'Stock'],
  );
});

test('secrets do not show in the excerpts of problems', () => {
  const text = '[nowhere]\napp_password = "abc"\n[secrets]\nalias = "[abc]"\nother = abc';
  assert.doesNotMatch(JSON.stringify(load('[nowhere]\napp_password = "abc"').problems), /abc/);
  assert.doesNotMatch(JSON.stringify(load(text).problems), /abc/);
  assert.equal(
    load('[nowhere]\nx = { my_secret = "abc", y = 1 }').problems[0]?.excerpt,
    'x = { my_secret = ********, y = 1 }',
  );
});

test('free properties come as a bag', () => {
  const { config } = load("[synapse_properties]\n'a.b' = 1\nc.d = \"x\"\n[transport.ws.sender]\nparameter.k = 'v'");
  assert.deepEqual(config.bag(keys.synapseProperties), { 'a.b': '1', 'c.d': 'x' });
  assert.deepEqual(config.get(keys.transportWs.senderParameterByName), { k: 'v' });
});

test('values follow from other values unless they are written', () => {
  const text = '[user_store]\ntype = "read_only_ldap"\nconnection_url = "ldap://mine"';
  const { config, problems } = load(text);
  assert.deepEqual(problems, []);
  assert.equal(config.get(keys.userStoreProperties.connectionUrl), 'ldap://mine');
  assert.equal(config.get(keys.userStoreProperties.userSearchBase), 'ou=Users,dc=wso2,dc=org');
  assert.equal(config.get(keys.userStoreDetails.readOnly), true);
  const role = loadConfig({ text: '[server]\nserver_role = "$env{ROLE}"', env: { ROLE: 'gateway-worker' } }).config;
  assert.equal(role.get(keys.indexing.enable), false);
});

test('a default follows the key that it refers to', () => {
  const { config } = load('[super_admin]\nusername = "root"');
  assert.equal(config.get(keys.apimThrottling.username), 'root');
  assert.equal(load('').config.get(keys.apimThrottling.username), undefined);
});

test('a documented default that would change artifacts is not applied', () => {
  const { config } = load('');
  assert.equal(config.get(keys.mediation.synapseEnableAutoPrimitive), undefined);
  assert.equal(config.explain('mediation.synapse.enable_auto_primitive')?.default, false);
  assert.equal(config.get(keys.httpConnector.port), 9763);
});

test('an unknown key is one warning with the nearest name, an error when strict', () => {
  const { problems } = load('[server]\nofset = 1\n[[apim.jwt.issuer]]\nnam = 1\n[[apim.jwt.issuer]]\nnam = 2');
  assert.deepEqual(
    problems.map(({ code, hint }) => [code, hint]),
    [
      ['MR_CONFIG_UNKNOWN_KEY', 'did you mean server.offset?'],
      ['MR_CONFIG_UNKNOWN_KEY', 'did you mean apim.jwt.issuer.name?'],
    ],
  );
  assert.equal(load('x.y = 1', { strict: true }).problems[0]?.severity, 'error');
});

test('spellings of old files get the key that is meant', () => {
  const { problems } = load('[transport.passthru.https.listener]\nport = 1\n[apim.jwt_authenitcation]\nenable = true');
  assert.deepEqual(
    problems.map(({ hint }) => hint),
    ['did you mean transport.passthru_https.listener.parameters.port?', 'did you mean apim.jwt.enable?'],
  );
});

test('inert keys are one warning each', () => {
  const { problems } = load('[transport.http.properties]\nacceptorThreadCount = 2');
  assert.match(problems[0]?.message ?? '', /acceptorThreadCount is accepted and has no effect here: one event loop/);
});

test('a required key is demanded only where its table is written', () => {
  assert.deepEqual(found(''), []);
  assert.deepEqual(found('[[custom_message_builders]]\nclass = "X"'), ['error MR_CONFIG_MISSING_KEY 1:1']);
  assert.deepEqual(found('[transport.wss]\nsender.enable = false'), []);
});

test('a key that is written with a wrong value is not missing as well', () => {
  const codes = load(
    '[[transport.http.proxy_profile]]\ntarget_hosts = ["a"]\nproxy_host = "p"\nproxy_port = "x"',
  ).problems;
  assert.deepEqual(
    codes.map(({ code }) => code),
    ['MR_CONFIG_VALUE'],
  );
});

test('both connectors on one port stop the start and both lines are named', () => {
  const { problems } = load('[transport.http.properties]\nport = 9443\n[transport.https.properties]\nport = 9443');
  assert.equal(problems[0]?.position?.line, 2);
  assert.match(problems[0].message, /both 9443 \(line 4\)/);
  assert.deepEqual(found('[transport.http.properties]\nport = 9443'), ['error MR_CONFIG_PORT_CONFLICT 2:8']);
});

test('rules about several keys are checked', () => {
  assert.deepEqual(found('[user_store]\ntype = "active_directory"'), [
    'error MR_CONFIG_MISSING_KEY 2:8',
    'error MR_CONFIG_MISSING_KEY 2:8',
  ]);
  assert.deepEqual(found('[apim.analytics]\nevent_publisher_type = "custom"'), ['error MR_CONFIG_MISSING_KEY 2:24']);
  assert.deepEqual(found('[apim.cors]\nallow_credentials = true'), ['warning MR_CONFIG_CORS_WILDCARD 2:21']);
  assert.deepEqual(found('[transport.passthru_https]\nlistener.parameters.port = 8200'), [
    'warning MR_CONFIG_BLOCKING_PORT 2:28',
  ]);
  assert.deepEqual(found('[server]\noffset = 1\n[apim.devportal]\nurl = "https://localhost:9443/d"'), [
    'warning MR_CONFIG_UNSHIFTED_PORT 4:7',
  ]);
});

test('runtime placeholders stay until they are used and unknown ones are reported', () => {
  const text = '[server]\nbase_path = "https://${carbon.host}:${mgt.transport.http.prt}"';
  const { config, problems } = load(text);
  assert.equal(problems[0]?.hint, 'did you mean ${mgt.transport.http.port}?');
  assert.equal(
    config.resolveRuntime(config.get(keys.server.basePath), { 'carbon.host': 'h' }),
    'https://h:${mgt.transport.http.prt}',
  );
});

test('all problems are collected and make the configuration unusable', () => {
  const loaded = load('[server]\noffset = "x"\nmode = "y"\n[nonsense]\na = 1');
  assert.deepEqual(
    loaded.problems.map(({ position }) => position?.line),
    [2, 3, 5],
  );
  assert.throws(() => usableConfig(loaded), { name: 'ProblemsError' });
  assert.equal(usableConfig(load('[server]\noffset = 1')).get(keys.server.offset), 1);
});

test('a file that cannot be read is a problem', () => {
  const { problems } = loadConfig({ file: '/nowhere/deployment.toml' });
  assert.equal(problems[0]?.code, 'MR_CONFIG_UNREADABLE');
});

test('the dashboard has a catalog of its own', () => {
  const { config, problems } = loadConfig({ text: '[server_config]\nport = "9000"', catalog: 'dashboard' });
  assert.deepEqual(problems, []);
  assert.equal(config.get(keys.dashboardServerConfig.port), 9000);
  assert.equal(config.dashboard, true);
});
