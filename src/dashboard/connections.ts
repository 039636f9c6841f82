import type { PooledHttpSender } from '#transport';
import { createHttpSender } from '#transport';
import { MillraceError } from '#errors';
import type { Approvals } from './approvals.ts';
import { peekCertificate } from './certificates.ts';
import { createHttpCaller, type HttpCaller } from './http-caller.ts';
import { createNodeClient, type NodeClient, type RuntimeAccount } from './node-client.ts';

/** Ways to runtimes whose certificate was checked or pinned; the password goes nowhere else. */
export interface Connections extends AsyncDisposable {
  /**
   * A client for an approved runtime. The certificate is looked at before the password is sent.
   *
   * @throws MillraceError `MR_DASHBOARD_NOT_APPROVED`, `MR_DASHBOARD_CERTIFICATE` (both 409), `MR_DASHBOARD_UNREACHABLE`
   */
  client(managementUrl: string): Promise<NodeClient>;
  /** The way to the runtime, for signing in others than the dashboard's own account. */
  caller(managementUrl: string): Promise<HttpCaller>;
  /** Forgets what was connected, so that the next use looks at the certificate again. */
  drop(managementUrl: string): void;
}

interface Connected {
  readonly call: HttpCaller;
  readonly client: NodeClient;
  readonly sender: PooledHttpSender;
}

/** Connections to one runtime at the same time. */
const perNode = 4;

/** Makes connections that trust `trusted`, the system's authorities when absent, and what was pinned. */
export function createConnections(options: {
  readonly approvals: Approvals;
  readonly trusted: readonly string[] | undefined;
  readonly account: RuntimeAccount;
}): Connections {
  const { approvals, trusted, account } = options;
  const connected = new Map<string, Promise<Connected>>();

  const open = async (managementUrl: string): Promise<Connected> => {
    const { origin, protocol } = new URL(managementUrl);
    const approval = approvals.find(origin);
    if (!approval) {
      throw new MillraceError({
        code: 'MR_DASHBOARD_NOT_APPROVED',
        status: 409,
        message: `${origin} waits for approval; nothing is sent to it before`,
      });
    }
    const sender = createHttpSender({
      connectionsPerOrigin: perNode,
      tls: protocol === 'https:' ? await tlsFor(managementUrl) : {},
    });
    const call = createHttpCaller(sender);
    return { call, sender, client: createNodeClient(managementUrl, { call, account }) };
  };

  const tlsFor = async (
    managementUrl: string,
  ): Promise<{ ca?: readonly string[]; verifier: 'strict' | 'allow-all' }> => {
    const { origin } = new URL(managementUrl);
    const shown = await peekCertificate(managementUrl, trusted);
    const approval = approvals.find(origin);
    if (shown.isTrusted) return { ...(trusted ? { ca: trusted } : {}), verifier: 'strict' };
    if (approval?.fingerprint !== undefined && approval.fingerprint !== shown.fingerprint) {
      throw new MillraceError({
        code: 'MR_DASHBOARD_CERTIFICATE',
        status: 409,
        message: `${origin} shows another certificate than the one that was approved (${shown.fingerprint})`,
      });
    }
    // The first one that an approved runtime shows is remembered.
    if (approval && approval.fingerprint === undefined) approvals.add({ ...approval, fingerprint: shown.fingerprint });
    return { ca: [shown.authorityPem], verifier: 'allow-all' };
  };

  const connect = (managementUrl: string): Promise<Connected> => {
    let entry = connected.get(managementUrl);
    if (!entry) {
      entry = open(managementUrl).catch((error: unknown) => {
        connected.delete(managementUrl);
        throw error;
      });
      connected.set(managementUrl, entry);
    }
    return entry;
  };
  const close = async (entry: Promise<Connected>): Promise<void> => {
    const opened = await entry.catch(() => undefined);
    await opened?.sender[Symbol.asyncDispose]();
  };

  return {
    client: async (managementUrl) => (await connect(managementUrl)).client,
    caller: async (managementUrl) => (await connect(managementUrl)).call,
    drop(managementUrl) {
      const entry = connected.get(managementUrl);
      connected.delete(managementUrl);
      if (entry) void close(entry);
    },
    async [Symbol.asyncDispose]() {
      const all = [...connected.values()];
      connected.clear();
      await Promise.all(all.map(close));
    },
  };
}
