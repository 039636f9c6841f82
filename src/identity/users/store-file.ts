import { MillraceError, formatPosition } from '#errors';
import { childElements, getAttribute, ownText, parseXml, positionOfElement, type XmlElement } from '#xml';
import type { StoreProperties } from './store-properties.ts';

/** Reads the encrypted properties of store files. */
export type Decrypt = (cipherText: string) => Promise<string>;

/** A secondary store as its file describes it (identity 5.3). */
export interface StoreFile {
  /** In upper case. */
  readonly domain: string;
  /** Name of the Java class, which says what kind of store it is. */
  readonly className: string;
  readonly isDisabled: boolean;
  readonly properties: StoreProperties;
}

/**
 * Reads `<UserStoreManager class="…"><Property name="…">…</Property>…`.
 *
 * @throws MillraceError `MR_STORE_FILE` with file, line and column
 */
export async function readStoreFile(text: string, file: string, decrypt: Decrypt): Promise<StoreFile> {
  const document = parseXml(text, { file, positions: true });
  const wrong = (element: XmlElement, message: string): MillraceError => {
    const place = formatPosition(positionOfElement(document, element));
    return new MillraceError({ code: 'MR_STORE_FILE', status: 400, message: `${place}: ${message}` });
  };
  const { root } = document;
  if (root.local !== 'UserStoreManager') throw wrong(root, `expected <UserStoreManager>, found <${root.local}>`);
  const className = getAttribute(root, 'class') ?? '';
  if (className === '') throw wrong(root, '<UserStoreManager> needs the attribute "class"');
  const properties = new Map<string, string>();
  for (const element of childElements(root)) {
    if (element.local !== 'Property') continue;
    const name = getAttribute(element, 'name') ?? '';
    if (name === '') throw wrong(element, '<Property> needs the attribute "name"');
    const value = ownText(element).trim();
    const isEncrypted = getAttribute(element, 'encrypted') === 'true';
    try {
      properties.set(name, isEncrypted ? await decrypt(value) : value);
    } catch (cause) {
      throw new MillraceError({
        code: 'MR_STORE_FILE',
        status: 400,
        message: `${formatPosition(positionOfElement(document, element))}: ${name} cannot be decrypted`,
        cause,
      });
    }
  }
  const domain = (properties.get('DomainName') ?? '').toUpperCase();
  if (!/^[^\s/@]+$/.test(domain)) throw wrong(root, 'expected a property DomainName without blanks and slashes');
  // The file says minutes.
  const minutes = Number(properties.get('UserCoreCacheTimeOut') ?? Number.NaN);
  if (!Number.isNaN(minutes)) properties.set('UserCoreCacheTimeOut', String(minutes * 60_000));
  return { domain, className, isDisabled: properties.get('Disabled')?.toLowerCase() === 'true', properties };
}

/** The kind of store behind a class of the original, as `user_store.type` names it; undefined for other classes. */
export function storeTypeOf(className: string): string | undefined {
  const name = className.split('.').at(-1) ?? '';
  const suffix = name.startsWith('UniqueID') ? '_unique_id' : '';
  const kind = kinds[name.replace(/^UniqueID/, '')];
  return kind && kind + suffix;
}

const kinds: Readonly<Record<string, string>> = {
  JDBCUserStoreManager: 'database',
  ReadOnlyLDAPUserStoreManager: 'read_only_ldap',
  ReadWriteLDAPUserStoreManager: 'read_write_ldap',
  ActiveDirectoryUserStoreManager: 'active_directory',
};
