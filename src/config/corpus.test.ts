import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadConfig } from './load.ts';

const folder = join(import.meta.dirname, '../../../shared/corpus/toml');
const skip = existsSync(folder) ? false : 'the files of the original are not beside the repository';

/** What each file of the original gives: errors with their places, and the number of warnings. */
const expected: Readonly<Record<string, { readonly errors?: readonly string[]; readonly warnings: number }>> = {
  '01-apim-all-in-one-apim.toml': { warnings: 18 },
  '02-mi-default.toml': { warnings: 2 },
  '03-is-default.toml': { warnings: 3 },
  '04-mi-config-tool-deployment-full.toml': { errors: ['MR_CONFIG_SYNTAX 993:1'], warnings: 0 },
  '05-dashboard-default.toml': { warnings: 2 },
  '06-mapper-scenario-2.toml': { errors: ['MR_CONFIG_VALUE 8:8'], warnings: 12 },
  '07-mapper-scenario-4.toml': { errors: ['MR_CONFIG_VALUE 5:8'], warnings: 6 },
  '08-apim-toml_config-case1.toml': {
    errors: ['MR_CONFIG_VALUE 133:21', 'MR_CONFIG_VALUE 250:23', 'MR_CONFIG_VALUE 254:8'],
    warnings: 17,
  },
  '09-apim-all-in-one-apim-approveWorkflow.toml': { warnings: 24 },
  '10-apim-tokenTest-persistence.toml': { warnings: 27 },
  '11-apim-all-in-one-apim-tenantsync.toml': { warnings: 27 },
  '12-apim-all-in-one-apim-webSocketWithTracing.toml': { warnings: 26 },
  '13-apim-api-control-plane-deployment-templates-key-manager.toml': { warnings: 15 },
  '14-is-certificate-validation-mgt-certificate_validation_config.toml': { warnings: 21 },
  '15-is-provisioning-db_separation_config.toml': { warnings: 3 },
  '16-is-user-enable_email_username_deployment.toml': { warnings: 5 },
  '17-is-scim2-me_unsecured_identity.toml': { warnings: 8 },
  '18-is-oauth-non_persistent_access_token.toml': { warnings: 6 },
  '19-is-oauth-jwt_token_issuer_add_remaining_user_attribute.toml': { warnings: 3 },
  '20-is-oidc-conformance-tests-oidc_deployment_config.toml': { warnings: 1 },
  '21-mi-tests-patches-with-smb2.toml': { warnings: 22 },
  '22-mi-samples-JMSIntegration.toml': { warnings: 7 },
  '23-mi-tests-platform-tests-sap.toml': { warnings: 10 },
  '24-mi-dynamicsslprofiles-pttlistener.toml': { warnings: 5 },
  '25-mi-serviceCatalog-FirstAPI.toml': { warnings: 6 },
};

/** Every environment variable that the files ask for. */
function environmentFor(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/\$env\{([^}]*)\}/g)].map((match) => [match[1] ?? '', 'value']));
}

for (const [file, { errors = [], warnings }] of Object.entries(expected)) {
  test(`${file} ${errors.length === 0 ? 'loads' : 'is refused where it is wrong'}`, { skip }, () => {
    const text = readFileSync(join(folder, file), 'utf8');
    const catalog = file.includes('dashboard') ? 'dashboard' : 'server';
    const { problems } = loadConfig({ file, text, catalog, env: environmentFor(text), systemProperties: {} });
    const places = problems
      .filter(({ severity }) => severity === 'error')
      .map(({ code, position }) => `${code} ${position?.line}:${position?.column}`);
    assert.deepEqual(places, errors);
    assert.equal(problems.length - places.length, warnings);
  });
}
