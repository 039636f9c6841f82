import { closeSync, openSync, readSync } from 'node:fs';
import { getLogger } from '#core';

const log = getLogger('server');

/** The first bytes of a JKS file. */
const jksMagic = 0xfeedfeed;

/** Warns when a key store is not of the kind that the configuration says; its content decides in any case. */
export function warnAboutStoreType(file: string, type: string | undefined, path: string): void {
  if (type === undefined) return;
  const found = typeOf(file);
  if (found === type.toUpperCase()) return;
  log.warn({ file, key: path, configured: type, found }, 'a key store is of another kind than configured');
}

function typeOf(file: string): 'JKS' | 'PKCS12' {
  const head = Buffer.alloc(4);
  const handle = openSync(file, 'r');
  try {
    readSync(handle, head, 0, head.length, 0);
  } finally {
    closeSync(handle);
  }
  return head.readUInt32BE(0) === jksMagic ? 'JKS' : 'PKCS12';
}
