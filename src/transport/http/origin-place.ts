/** Where an origin such as `https://back.example` is. */
export interface OriginPlace {
  readonly isSecure: boolean;
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
  /** The host with its port, as a `Host` field has it. */
  readonly authority: string;
}

/** Reads an origin of HTTP. @throws TypeError for a text that is no address */
export function placeOfOrigin(origin: string): OriginPlace {
  const { protocol, hostname, port, host } = new URL(origin);
  const isSecure = protocol === 'https:';
  return {
    isSecure,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (isSecure ? 443 : 80)),
    authority: host,
  };
}
