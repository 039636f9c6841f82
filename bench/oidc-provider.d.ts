/** What the peer program uses of the package, which brings no types. */
declare module 'oidc-provider' {
  import type { Server } from 'node:http';

  export type AdapterPayload = Readonly<Record<string, unknown>> & {
    readonly grantId?: string;
    readonly userCode?: string;
    readonly uid?: string;
  };

  export interface Adapter {
    upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void>;
    find(id: string): Promise<AdapterPayload | undefined>;
    findByUid(uid: string): Promise<AdapterPayload | undefined>;
    findByUserCode(code: string): Promise<AdapterPayload | undefined>;
    consume(id: string): Promise<void>;
    destroy(id: string): Promise<void>;
    revokeByGrantId(grantId: string): Promise<void>;
  }

  interface Client {
    readonly clientId: string;
  }

  interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  interface RefreshToken {
    save(): Promise<string>;
  }

  export class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    readonly Client: { find(id: string): Promise<Client | undefined> };
    readonly Grant: new (facts: Readonly<Record<string, unknown>>) => Grant;
    readonly RefreshToken: new (facts: Readonly<Record<string, unknown>>) => RefreshToken;
    listen(port: number, host: string): Server;
  }
}
