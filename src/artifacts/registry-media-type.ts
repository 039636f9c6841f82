import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { propertiesOf } from './properties-file.ts';

const ofExtension: Readonly<Record<string, string>> = {
  xml: 'application/xml',
  json: 'application/json',
  xslt: 'application/xslt+xml',
  xsl: 'application/xslt+xml',
  wsdl: 'application/wsdl+xml',
  xsd: 'application/x-xsd+xml',
  dmc: 'text/plain',
  js: 'application/javascript',
  properties: 'text/properties',
};

/** The file beside a resource that holds its media type. */
export function registryMetadataFile(file: string): string {
  return join(dirname(file), '.metadata', `${basename(file)}.meta`);
}

/** The media type of a resource's file: its own where it has one, else what its extension says (management 1.7). */
export function registryMediaTypeOf(file: string): string {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) return 'directory';
  const sidecar = registryMetadataFile(file);
  const own = existsSync(sidecar) ? propertiesOf(readFileSync(sidecar, 'utf8')).get('mediaType') : undefined;
  return own ?? mediaTypeOfName(file);
}

/** The media type that a name's extension says; `text/plain` where it says none. */
export function mediaTypeOfName(name: string): string {
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(ofExtension, extension) ? (ofExtension[extension] ?? '') : 'text/plain';
}
