import { type Clock, systemClock } from './clock.ts';

/** The right to do something that only one node of a cluster may do at a time. */
export interface Lease {
  readonly name: string;
  readonly holder: string;
  /** Grows with each new holder: what the lease protects refuses writes with a smaller number than it has seen. */
  readonly fencing: number;
  /** Milliseconds since the epoch at which it ends unless it is renewed. */
  readonly expiresAt: number;
}

export interface LeaseRequest {
  readonly name: string;
  /** Unique per process. */
  readonly holder: string;
  /** Milliseconds. */
  readonly ttl: number;
}

/** Grants leases. Losing one is no error: the answer is undefined. */
export interface Leases {
  /** The lease, or undefined while another holder has it. Its own holder gets it again with the same number. */
  acquire(request: LeaseRequest): Promise<Lease | undefined>;
  /** The lease with a later end, or undefined when it was lost; then its holder must stop what it did under it. */
  renew(lease: Lease, ttl: number): Promise<Lease | undefined>;
  /** Gives the lease back; without effect when it was lost. */
  release(lease: Lease): Promise<void>;
}

/** Leases for a server that is alone. */
export function createMemoryLeases(clock: Clock = systemClock): Leases {
  const leases = new Map<string, Lease>();
  /** The entry of this very lease, unless it has ended or passed to another holder. */
  const current = (lease: Lease): Lease | undefined => {
    const held = leases.get(lease.name);
    return held?.holder === lease.holder && held.fencing === lease.fencing && held.expiresAt > clock.now()
      ? held
      : undefined;
  };
  const grant = (lease: Lease): Lease => {
    leases.set(lease.name, lease);
    return lease;
  };
  return {
    async acquire({ name, holder, ttl }) {
      const held = leases.get(name);
      const expiresAt = clock.now() + ttl;
      if (!held || held.expiresAt <= clock.now()) {
        return grant({ name, holder, fencing: (held?.fencing ?? 0) + 1, expiresAt });
      }
      return held.holder === holder ? grant({ ...held, expiresAt }) : undefined;
    },
    async renew(lease, ttl) {
      const held = current(lease);
      return held && grant({ ...held, expiresAt: clock.now() + ttl });
    },
    async release(lease) {
      const held = current(lease);
      if (held) grant({ ...held, expiresAt: 0 });
    },
  };
}
