import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { icpConfig, type Config } from '#config';
import { addLogFields, type Clock, type Home } from '#core';
import { MillraceError } from '#errors';
import {
  createControlPlaneTokens,
  fullHeartbeat,
  startReporting,
  type ControlPlaneTokens,
  type ManagedRuntime,
} from '#management';
import type { FetchHandler } from '#rest';
import { createHttpSender } from '#transport';
import type { ServerContext } from './context.ts';
import { postJson } from './post-json.ts';

/** The tokens of both sides; undefined where this runtime reports to no control plane (management 2.3). */
export function openControlPlaneTokens(config: Config, clock: Clock): ControlPlaneTokens | undefined {
  if (!config.get(icpConfig.enabled)) return undefined;
  const secret = config.get(icpConfig.secret);
  if (secret === undefined || secret === '') {
    throw new MillraceError({
      code: 'MR_CONFIG_REQUIRED',
      message: 'icp_config.enabled = true needs icp_config.secret',
    });
  }
  return createControlPlaneTokens(
    {
      secret,
      issuer: config.get(icpConfig.jwtIssuer),
      audience: config.get(icpConfig.jwtAudience),
      scope: config.get(icpConfig.jwtScope),
      lifetime: config.milliseconds(icpConfig.jwtExpirySeconds),
      skew: config.milliseconds(icpConfig.jwtClockSkewToleranceMs),
    },
    clock,
  );
}

export interface ControlPlaneParts {
  readonly tokens: ControlPlaneTokens;
  readonly runtime: ManagedRuntime;
  /** The management API. */
  readonly manage: FetchHandler;
  /** Where the management API answers. */
  readonly hostname: string;
  readonly port: number;
}

/** Reports to the control plane of the configuration. */
export function reportToControlPlane(context: ServerContext, parts: ControlPlaneParts): AsyncDisposable {
  const { config, clock, home } = context;
  const own = config.get(icpConfig.sslVerify)
    ? undefined
    : createHttpSender({ tls: { verifier: 'allow-all', acceptsAnyCertificate: true } });
  const sender = own ?? context.sender;
  const identity = {
    runtimeId: keptRuntimeId(home),
    runtime: config.get(icpConfig.runtime),
    environment: config.get(icpConfig.environment),
    project: config.get(icpConfig.project),
    integration: config.get(icpConfig.integration),
    hostname: parts.hostname,
    port: parts.port,
  };
  // By it the control plane finds the lines of this runtime among those of all (management 2.3).
  const logFields = addLogFields({ 'icp.runtimeId': identity.runtimeId });
  const reporting = startReporting({
    url: config.get(icpConfig.icpUrl),
    runtimeId: identity.runtimeId,
    interval: config.milliseconds(icpConfig.heartbeatInterval),
    tokens: parts.tokens,
    transport: (url, body, token) => postJson(sender, { url, body, secret: token }),
    clock,
    describe: () => fullHeartbeat(parts.runtime, identity),
    async manage({ method, path, body }) {
      const request = new Request(new URL(path, `https://localhost:${parts.port}`), {
        method,
        headers: { Authorization: `Bearer ${parts.tokens.current()}`, 'Content-Type': 'application/json' },
        ...(body !== undefined && method !== 'GET' && { body }),
      });
      const answer = await parts.manage(request);
      return { status: answer.status, body: await answer.text() };
    },
  });
  return {
    async [Symbol.asyncDispose]() {
      reporting[Symbol.dispose]();
      logFields[Symbol.dispose]();
      await own?.[Symbol.asyncDispose]();
    },
  };
}

/** The identity of this runtime that the home keeps, where the original keeps it. */
function keptRuntimeId(home: Home): string {
  const file = join(home.directory, '.icp_runtime_id');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const id = randomUUID();
  writeFileSync(file, `${id}\n`);
  return id;
}
