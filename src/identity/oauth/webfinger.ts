import type { Endpoint } from '../http/endpoint.ts';
import { readParameters } from '../http/parameters.ts';
import { OAuthError } from './errors.ts';
import { issuerOf } from './issuer.ts';
import type { OAuthServices } from './services.ts';

const issuerRelation = 'http://openid.net/specs/connect/1.0/issuer';

/** `/.well-known/webfinger`: who issues for a resource (RFC 7033, OpenID Connect Discovery 2). */
export function webFingerEndpoint({ settings, findTenant }: Pick<OAuthServices, 'settings' | 'findTenant'>): Endpoint {
  return {
    path: '/.well-known/webfinger',
    methods: ['GET'],
    isOpenToScripts: true,
    async handle({ query, tenant }) {
      // RFC 7033 §4.1: `rel` alone may be repeated.
      const relations = new URLSearchParams(query).getAll('rel');
      const others = query.split('&').filter((pair) => !pair.startsWith('rel='));
      const resource = readParameters(others.join('&')).get('resource');
      if (resource === undefined || !/^[a-z][a-z0-9+.-]*:/i.test(resource)) {
        throw new OAuthError('invalid_request', 'Expected a resource that is a URI');
      }
      const domain = /^acct:.*@([^@]+)$/i.exec(resource)?.[1]?.toLowerCase();
      const named = domain === undefined ? undefined : await findTenant(domain);
      const isWanted = relations.length === 0 || relations.includes(issuerRelation);
      const links = isWanted ? [{ rel: issuerRelation, href: issuerOf(settings, named ?? tenant) }] : [];
      const headers = ['Content-Type', 'application/jrd+json', 'Cache-Control', 'public, max-age=300'];
      return { status: 200, headers, body: JSON.stringify({ subject: resource, links }) };
    },
  };
}
