import type { JmsValue } from '../message.ts';
import { bytesField, numberField, type Command } from './codec.ts';
import { protocolVersion } from './commands.ts';
import { decodeMap, encodeMap } from './primitives.ts';

/** What both sides agree on before anything else. */
export interface WireFormat {
  readonly version: number;
  /** Milliseconds of silence after which the other side is taken for dead; 0 for never. */
  readonly maxInactivity: number;
}

/** The first command on a connection: loose encoding, without caches and stack traces. */
export function offerWireFormat(maxInactivity: number): Command {
  const properties = new Map<string, JmsValue>([
    ['TcpNoDelayEnabled', true],
    ['SizePrefixDisabled', false],
    ['CacheEnabled', false],
    ['StackTraceEnabled', false],
    ['TightEncodingEnabled', false],
    ['MaxInactivityDuration', BigInt(maxInactivity)],
    // Misspelt in the protocol.
    ['MaxInactivityDurationInitalDelay', BigInt(Math.min(maxInactivity, 10_000))],
  ]);
  return {
    name: 'WireFormatInfo',
    fields: { version: protocolVersion, marshalledProperties: encodeMap(properties) },
  };
}

/** What results from ours and the broker's offer. @throws TypeError when the broker speaks only older versions */
export function agreeOn(maxInactivity: number, theirs: Command): WireFormat {
  const version = Math.min(protocolVersion, numberField(theirs, 'version'));
  if (version < protocolVersion) {
    throw new TypeError(
      `it speaks version ${version} of OpenWire; expected ${protocolVersion}, as ActiveMQ 5.8 and later do`,
    );
  }
  const bytes = bytesField(theirs, 'marshalledProperties');
  const properties = bytes ? decodeMap(bytes) : new Map<string, JmsValue>();
  const other = properties.get('MaxInactivityDuration');
  const theirInactivity = typeof other === 'bigint' || typeof other === 'number' ? Number(other) : maxInactivity;
  return { version, maxInactivity: Math.min(maxInactivity, theirInactivity) };
}
