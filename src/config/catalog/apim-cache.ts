import { defineSection, key } from './define.ts';
import { boolean, duration } from './types.ts';

export const apimCacheGatewayToken = defineSection({
  path: 'apim.cache.gateway_token',
  doc: 'Validated tokens at the gateway.',
  keys: {
    enable: key('enable', boolean(), {
      default: true,
      doc: 'Cache switch.',
      effect: 'LRU cache of validated tokens in the gateway; hit skips the key validation call and signature check.',
    }),
    expiryTime: key('expiry_time', duration('s'), {
      default: '15m',
      doc: 'Expiry.',
      effect: 'TTL of that cache, capped by the token exp.',
    }),
  },
});

export const apimCacheResource = defineSection({
  path: 'apim.cache.resource',
  doc: 'API resources at the gateway.',
  keys: {
    enable: key('enable', boolean(), {
      default: true,
      doc: 'Cache switch.',
      effect: 'LRU cache of resource matching and per-resource policy lookups.',
    }),
  },
});

export const apimCacheKmToken = defineSection({
  path: 'apim.cache.km_token',
  doc: 'Validated tokens at the key manager.',
  keys: {
    enable: key('enable', boolean(), {
      default: false,
      doc: 'Cache switch.',
      effect: 'cache in the key validation service.',
    }),
    expiryTime: key('expiry_time', duration('s'), { default: '15m', doc: 'Expiry.', effect: 'TTL of that cache.' }),
  },
});

export const apimCacheRecentApis = defineSection({
  path: 'apim.cache.recent_apis',
  doc: 'Recent APIs of the developer portal.',
  keys: {
    enable: key('enable', boolean(), {
      default: false,
      doc: 'Cache switch.',
      effect: '15 minute cache of the recently added list.',
    }),
  },
});

export const apimCacheScopes = defineSection({
  path: 'apim.cache.scopes',
  doc: 'Scopes of APIs.',
  keys: {
    enable: key('enable', boolean(), {
      default: true,
      doc: 'Cache switch.',
      effect: '15 minute cache of scope to role data.',
    }),
  },
});

export const apimCachePublisherRoles = defineSection({
  path: 'apim.cache.publisher_roles',
  doc: 'Roles of publishers.',
  keys: {
    enable: key('enable', boolean(), {
      default: true,
      doc: 'Cache switch.',
      effect: '15 minute cache of publisher role lookups.',
    }),
  },
});

export const apimCacheJwtClaim = defineSection({
  path: 'apim.cache.jwt_claim',
  doc: 'Claims in back end JWTs.',
  keys: {
    enable: key('enable', boolean(), {
      default: true,
      doc: 'Cache switch.',
      effect: 'cache of user claims put in the backend JWT.',
    }),
    expiryTime: key('expiry_time', duration('s'), {
      whenAbsent: 'the expiry of the JWT',
      doc: 'Expiry.',
      effect: 'TTL; when absent the backend JWT lifetime.',
    }),
  },
});

export const apimCacheTags = defineSection({
  path: 'apim.cache.tags',
  doc: 'Tags of the developer portal.',
  keys: {
    expiryTime: key('expiry_time', duration('ms'), {
      whenAbsent: 'tags are not cached; a sample shows 2m',
      doc: 'Expiry.',
      effect: 'TTL of the tag cloud; absent means no cache.',
    }),
  },
});
