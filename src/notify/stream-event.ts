import type { BusEvent } from '#events';

export type AttributeValue = string | number | boolean | null;

/** An event of a stream, as publishers see it. */
export interface StreamEvent {
  /** `name:version`. */
  readonly stream: string;
  readonly at: number;
  readonly values: ReadonlyMap<string, AttributeValue>;
}

export function eventOf({ topic, at, attributes }: BusEvent): StreamEvent {
  return { stream: topic, at, values: attributes };
}

/**
 * An attribute by the name that mappings use: as the stream declares it, else from the arbitrary group, whose names
 * carry a prefix where a flow published the event. Undefined when the event has no such attribute.
 */
export function valueOf({ values }: StreamEvent, name: string): AttributeValue | undefined {
  const own = values.get(name);
  return own === undefined ? values.get(`arbitrary_${name}`) : own;
}

/** The domain of the tenant that an event concerns; undefined when it names none. */
export function tenantDomainOf(event: StreamEvent): string | undefined {
  const domain = valueOf(event, 'tenant-domain');
  return typeof domain === 'string' && domain !== '' ? domain.toLowerCase() : undefined;
}
