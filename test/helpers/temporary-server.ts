import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startServer, type RunningServer, type ServerOptions } from '#server';
import { removeFolder } from './temporary-files.ts';

export interface TemporaryServer extends AsyncDisposable {
  readonly server: RunningServer;
  readonly home: string;
  /** The address of a listener by its name in the log, without a slash at its end. */
  url(name: 'API HTTP' | 'API HTTPS' | 'Probes and metrics' | 'Management' | 'Server HTTP' | 'Server HTTPS'): string;
  /** Writes a file below the home, such as `artifacts/api/a.xml`. */
  write(path: string, text: string | Uint8Array): void;
}

/** Every port free, nothing else: what a test adds comes after it. */
export const freePorts = `[transport.passthru_http]
listener.parameters.port = 0
[transport.passthru_https]
listener.parameters.port = 0
[mediation]
internal_http_api_port = 0
internal_https_api_port = 0
[transport.http.properties]
port = 0
[transport.https.properties]
port = 0
`;

/** Every port free but that of plain API requests. */
export function freePortsWithApi(port: number): string {
  return freePorts.replace('listener.parameters.port = 0', `listener.parameters.port = ${port}`);
}

/** Starts a server over a new home that holds `files`, on free ports; disposing stops it and removes the home. */
export async function startTemporaryServer(
  files: Readonly<Record<string, string | Uint8Array>>,
  configuration: string = freePorts,
  options: Pick<ServerOptions, 'logFiles'> = {},
): Promise<TemporaryServer> {
  const home = mkdtempSync(join(tmpdir(), 'millrace-test-'));
  const write = (path: string, text: string | Uint8Array): void => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  write('conf/deployment.toml', configuration);
  for (const [path, text] of Object.entries(files)) write(path, text);
  const server = await startServer({ ...options, home, environment: {} });
  return {
    server,
    home,
    write,
    url(name) {
      const found = server.addresses.find((address) => address.name === name);
      if (!found) throw new Error(`the server has no listener called ${name}`);
      return found.url;
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      removeFolder(home);
    },
  };
}
