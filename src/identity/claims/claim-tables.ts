import { getLogger } from '#core';
import type { AttributeOf, ClaimTarget } from '../users/user-store.ts';
import type { ClaimDialects, DeclaredClaim } from './claim-file.ts';
import { localClaims, localDialect, neededClaims, usernameClaim } from './local-claims.ts';
import { oidcClaims, oidcClaimsOf, oidcDialect, type OidcClaim } from './oidc-claims.ts';

const log = getLogger('identity');

/** Local claims by the claims of another dialect. */
export type ExternalClaims = ReadonlyMap<string, string>;

/** The claims of this installation: those of its file, else those that are built in (identity 4.2, 5.3). */
export interface ClaimTables {
  /** The attributes of a directory whose names of users are in `nameAttribute`. */
  attributesOf(store: { readonly domain: string; readonly nameAttribute: string }): AttributeOf;
  /** The claims that a store keeps in one place with a claim, itself among them; the first names the place. */
  keptWith(domain: string): (claim: string) => readonly string[];
  /** What the file says of a local claim. */
  declared(local: string): DeclaredClaim | undefined;
  /** The claims of OpenID Connect that stores know values of. */
  readonly oidc: readonly OidcClaim[];
  /** Their names by local claim. */
  readonly oidcNames: ReadonlyMap<string, string>;
  /** A dialect besides the local one; undefined where the file has no such dialect. */
  dialect(uri: string): ExternalClaims | undefined;
}

/** The tables of a file, or of none. */
export function createClaimTables(file: ClaimDialects | undefined): ClaimTables {
  const isLocal = (uri: string): boolean => `${uri.replace(/\/$/, '')}/` === localDialect;
  const [own] = [...(file ?? [])].flatMap(([uri, claims]) => (isLocal(uri) ? [claims] : []));
  const declared = new Map(own?.map((claim) => [claim.uri, claim] as const));
  const exists = (claim: string): boolean => (own ? declared.has(claim) : localClaims.has(claim));
  const dialects = new Map<string, ExternalClaims>();
  for (const [uri, claims] of file ?? []) if (!isLocal(uri)) dialects.set(uri, mapped(claims, own ?? [], exists));
  const ofOidc = dialects.get(oidcDialect);
  const oidc = ofOidc ? oidcClaimsOf(ofOidc) : oidcClaims;
  return {
    attributesOf({ domain, nameAttribute }) {
      const targets = new Map<string, ClaimTarget>();
      for (const [claim, target] of localClaims) if (!own || neededClaims.has(claim)) targets.set(claim, target);
      for (const claim of own ?? []) {
        const attribute = attributeIn(claim, domain);
        if (attribute !== undefined) targets.set(claim.uri, { attribute, isMultiValued: isMultiValued(claim) });
      }
      if (declared.get(usernameClaim)?.attributeOfDomain.has(domain) !== true) {
        targets.set(usernameClaim, { attribute: nameAttribute, isMultiValued: false });
      }
      return (claim) => targets.get(claim);
    },
    keptWith(domain) {
      const places = Map.groupBy(own ?? [], (claim) => attributeIn(claim, domain) ?? claim.uri);
      const together = new Map<string, readonly string[]>();
      for (const claims of places.values()) {
        const all = claims.map(({ uri }) => uri);
        for (const uri of all) together.set(uri, all);
      }
      return (claim) => together.get(claim) ?? [claim];
    },
    declared: (local) => declared.get(local),
    oidc,
    oidcNames: new Map(oidc.map(({ local, name }) => [local, name])),
    dialect: (uri) => dialects.get(uri),
  };
}

function isMultiValued({ uri, isMultiValued: isDeclared }: DeclaredClaim): boolean {
  return isDeclared || localClaims.get(uri)?.isMultiValued === true;
}

function attributeIn(claim: DeclaredClaim | undefined, domain: string): string | undefined {
  return claim?.attributeOfDomain.get(domain) ?? claim?.attribute;
}

/** Older files name no local claim: there it is the one of the same attribute. */
function mapped(
  claims: readonly DeclaredClaim[],
  own: readonly DeclaredClaim[],
  exists: (claim: string) => boolean,
): ExternalClaims {
  const found = new Map<string, string>();
  for (const { uri, place, mappedLocalClaim, attribute } of claims) {
    const local = mappedLocalClaim ?? own.find((each) => each.attribute === attribute)?.uri;
    if (local !== undefined && exists(local)) found.set(uri, local);
    else log.warn({ place, claim: uri, mapped: local }, 'a claim is of no local claim; it is left out');
  }
  return found;
}
