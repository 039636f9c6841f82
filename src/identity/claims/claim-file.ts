import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getLogger, type Home } from '#core';
import { compileJavaRegex, type JavaRegex } from '#core/java';
import { excerptOf, formatPosition, messageOf, ProblemsError, type Position } from '#errors';
import {
  childElements,
  firstChild,
  getAttribute,
  ownText,
  parseXml,
  positionOfElement,
  XmlError,
  type XmlDocument,
  type XmlElement,
} from '#xml';

const log = getLogger('identity');

/** A claim as the file of the original declares it (identity 5.3). */
export interface DeclaredClaim {
  readonly uri: string;
  /** Where it stands, for what is said of it. */
  readonly place: string;
  readonly displayName: string | undefined;
  readonly description: string | undefined;
  /** Where stores keep it that have no attribute of their own. */
  readonly attribute: string | undefined;
  /** By the domain of the store in upper case. */
  readonly attributeOfDomain: ReadonlyMap<string, string>;
  /** The claim of the local dialect that it is, for claims of other dialects. */
  readonly mappedLocalClaim: string | undefined;
  readonly isRequired: boolean;
  readonly isReadOnly: boolean;
  readonly isSupportedByDefault: boolean;
  readonly isMultiValued: boolean;
  readonly displayOrder: number | undefined;
  /** What whole values look like. */
  readonly regEx: JavaRegex | undefined;
}

/** Claims by the address of their dialect. */
export type ClaimDialects = ReadonlyMap<string, readonly DeclaredClaim[]>;

/** The elements of a claim; what else the originals write there is said once and left. */
const known: ReadonlySet<string> = new Set([
  'ClaimURI',
  'DisplayName',
  'AttributeID',
  'Description',
  'Required',
  'DisplayOrder',
  'SupportedByDefault',
  'RegEx',
  'ReadOnly',
  'MappedLocalClaim',
  'MultiValued',
]);

/**
 * The dialects of `conf/claim-config.xml`; undefined where the home has no such file.
 *
 * @throws ProblemsError `MR_CLAIM_CONFIG` with file, line and column
 */
export function readClaimFileOf(home: Home): ClaimDialects | undefined {
  const file = join(home.conf, 'claim-config.xml');
  return existsSync(file) ? readClaimFile(readFileSync(file, 'utf8'), file) : undefined;
}

/**
 * Reads `<ClaimManager><Dialects><Dialect dialectURI="…"><Claim>…`.
 *
 * @throws ProblemsError `MR_CLAIM_CONFIG` with file, line and column
 */
export function readClaimFile(text: string, file: string): ClaimDialects {
  const document = parse(text, file);
  const { root } = document;
  const list = root.local === 'Dialects' ? root : firstChild(root, 'Dialects');
  if (!list) throw problem(document, root, `expected <Dialects> in <${root.local}>, found none`);
  const dialects = new Map<string, readonly DeclaredClaim[]>();
  for (const element of childElements(list)) {
    if (element.local !== 'Dialect') {
      warn(document, element, 'expected <Dialect>');
      continue;
    }
    const uri = getAttribute(element, 'dialectURI')?.trim() ?? '';
    if (uri === '') throw problem(document, element, '<Dialect> needs the attribute "dialectURI"');
    if (dialects.has(uri)) throw problem(document, element, `the dialect ${uri} is declared twice`);
    dialects.set(uri, readClaims(document, element));
  }
  return dialects;
}

function parse(text: string, file: string): XmlDocument {
  try {
    return parseXml(text, { file, positions: true });
  } catch (cause) {
    if (!(cause instanceof XmlError)) throw cause;
    throw problemAt(cause.position, { message: cause.message, excerpt: cause.excerpt });
  }
}

function readClaims(document: XmlDocument, dialect: XmlElement): readonly DeclaredClaim[] {
  const claims = new Map<string, DeclaredClaim>();
  for (const element of childElements(dialect)) {
    if (element.local !== 'Claim') {
      warn(document, element, 'expected <Claim>');
      continue;
    }
    const claim = readClaim(document, element);
    if (claims.has(claim.uri)) throw problem(document, element, `the claim ${claim.uri} is declared twice`);
    claims.set(claim.uri, claim);
  }
  return [...claims.values()];
}

function readClaim(document: XmlDocument, element: XmlElement): DeclaredClaim {
  for (const child of childElements(element)) {
    if (!known.has(child.local)) warn(document, child, 'an element of a claim that is not known here');
  }
  const text = (name: string): string | undefined => {
    const child = firstChild(element, name);
    const found = child && ownText(child).trim();
    return found === '' ? undefined : found;
  };
  // An empty element says yes.
  const flag = (name: string): boolean => firstChild(element, name) !== undefined && text(name) !== 'false';
  const uri = text('ClaimURI');
  if (uri === undefined) throw problem(document, element, 'expected a text in <ClaimURI>');
  const order = text('DisplayOrder');
  if (order !== undefined && !/^\d{1,9}$/.test(order)) {
    throw problem(document, element, `<DisplayOrder> of ${uri}: expected a whole number, found "${order}"`);
  }
  return {
    uri,
    place: placeOf(document, element),
    displayName: text('DisplayName'),
    description: text('Description'),
    ...attributesIn(document, element, text('AttributeID')),
    mappedLocalClaim: text('MappedLocalClaim'),
    isRequired: flag('Required'),
    isReadOnly: flag('ReadOnly'),
    isSupportedByDefault: flag('SupportedByDefault'),
    isMultiValued: flag('MultiValued'),
    displayOrder: order === undefined ? undefined : Number(order),
    regEx: patternIn(document, element, text('RegEx')),
  };
}

/** `mail`, or `DOMAIN/mail;OTHER/email;email`, where the last is that of all other stores. */
function attributesIn(
  document: XmlDocument,
  element: XmlElement,
  text: string | undefined,
): Pick<DeclaredClaim, 'attribute' | 'attributeOfDomain'> {
  const attributeOfDomain = new Map<string, string>();
  let attribute: string | undefined;
  for (const part of (text ?? '').split(';')) {
    const [first = '', ...rest] = part.trim().split('/');
    if (part.trim() === '') continue;
    const [name = first] = rest;
    if (rest.length > 1 || first === '' || name === '') {
      throw problem(document, element, `<AttributeID>: expected ATTRIBUTE or DOMAIN/ATTRIBUTE, found "${part.trim()}"`);
    }
    if (rest.length === 0) attribute = name;
    else attributeOfDomain.set(first.toUpperCase(), name);
  }
  return { attribute, attributeOfDomain };
}

function patternIn(document: XmlDocument, element: XmlElement, source: string | undefined): DeclaredClaim['regEx'] {
  if (source === undefined) return undefined;
  try {
    return compileJavaRegex(source);
  } catch (error) {
    throw problem(document, element, `<RegEx>: expected a regular expression: ${messageOf(error)}`);
  }
}

function placeOf(document: XmlDocument, element: XmlElement): string {
  return formatPosition(positionOfElement(document, element));
}

function warn(document: XmlDocument, element: XmlElement, message: string): void {
  log.warn({ place: placeOf(document, element), element: element.local }, `${message}; it is left out`);
}

function problem(document: XmlDocument, element: XmlElement, message: string): ProblemsError {
  const position = positionOfElement(document, element);
  return problemAt(position, { message, excerpt: excerptOf(document.source, position.line) });
}

function problemAt(position: Position, said: { readonly message: string; readonly excerpt: string }): ProblemsError {
  return new ProblemsError([{ code: 'MR_CLAIM_CONFIG', severity: 'error', position, ...said }]);
}
