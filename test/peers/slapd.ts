import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'ldapts';
import { findProgram, untilWorks } from './program.ts';
import { freePort } from '../helpers/free-port.ts';

const slapd = findProgram('slapd');
const schemas = '/etc/ldap/schema';

/** Why a directory cannot be started here; false when it can. */
export const slapdMissing: string | false =
  slapd !== undefined && existsSync(schemas) ? false : 'slapd is not installed (Debian package slapd)';

/** A directory with `ou=Users`, `ou=Groups` and `ou=Users,ou=Second` below `dc=wso2,dc=org`. */
export interface SlapdPeer extends AsyncDisposable {
  readonly url: string;
  /** `ldaps` at a port of its own, where TLS was asked for. */
  readonly secureUrl: string;
  readonly accountDn: string;
  readonly accountPassword: string;
}

export interface SlapdOptions {
  /** PEM files; the directory then offers StartTLS and, at `ldaps`, TLS. */
  readonly tls?: { readonly certificate: string; readonly key: string };
}

const root = 'dc=wso2,dc=org';
/** Each with the unit that it lies in, if any. */
const units = ['Users', 'Groups', 'Second', 'Users,Second'];

/** Starts OpenLDAP in a temporary directory and waits until it answers. */
export async function startSlapd(options: SlapdOptions = {}): Promise<SlapdPeer> {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-slapd-'));
  mkdirSync(join(directory, 'data'));
  const url = `ldap://127.0.0.1:${await freePort()}`;
  const secureUrl = `ldaps://127.0.0.1:${await freePort()}`;
  const accountDn = `cn=admin,${root}`;
  const accountPassword = 'service account';
  const tls = options.tls
    ? `TLSCertificateFile ${options.tls.certificate}\nTLSCertificateKeyFile ${options.tls.key}\n`
    : '';
  // The unique id and the optional members are what directories of the original have beside the standard.
  writeFileSync(
    join(directory, 'slapd.conf'),
    `include ${schemas}/core.schema
include ${schemas}/cosine.schema
include ${schemas}/inetorgperson.schema
attributetype ( 1.3.6.1.4.1.99999.1.1 NAME 'scimId' EQUALITY caseIgnoreMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
objectclass ( 1.3.6.1.4.1.99999.2.1 NAME 'identityPerson' SUP inetOrgPerson STRUCTURAL MAY ( scimId ) )
objectclass ( 1.3.6.1.4.1.99999.2.2 NAME 'openGroup' SUP top STRUCTURAL MUST ( cn ) MAY ( member $ description ) )
pidfile ${directory}/slapd.pid
modulepath /usr/lib/ldap
moduleload back_mdb
${tls}sizelimit unlimited
database mdb
directory ${directory}/data
suffix "${root}"
rootdn "${accountDn}"
rootpw "${accountPassword}"
index objectClass,uid,cn,member eq
`,
  );
  const args = ['-f', join(directory, 'slapd.conf'), '-h', options.tls ? `${url} ${secureUrl}` : url, '-d', '0'];
  const server = spawn(slapd ?? '', args, { cwd: directory, stdio: 'ignore' });
  const ended = once(server, 'exit');
  const stop = async (): Promise<void> => {
    server.kill('SIGTERM');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await untilWorks(async () => {
      await using client = new Client({ url, connectTimeout: 1000 });
      await client.bind(accountDn, accountPassword);
      await client.add(root, { objectClass: ['dcObject', 'organization'], dc: 'wso2', o: 'test' });
      for (const unit of units) {
        const [ou = ''] = unit.split(',');
        await client.add(`ou=${unit.replace(',', ',ou=')},${root}`, { objectClass: 'organizationalUnit', ou });
      }
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, secureUrl, accountDn, accountPassword, [Symbol.asyncDispose]: stop };
}
