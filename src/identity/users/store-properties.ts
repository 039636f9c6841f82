import { userStore, userStoreDetails, userStoreProperties, type Config } from '#config';
import { MillraceError } from '#errors';

/** The properties of a store as texts, by the names of identity 5.2; times are in milliseconds. */
export type StoreProperties = ReadonlyMap<string, string>;

/** The properties of `[user_store.properties]`: what the file says, and what `user_store.type` implies. */
export function propertiesOfConfig(config: Config): StoreProperties {
  const properties = new Map(Object.entries(config.bag(userStoreProperties)));
  for (const key of [...Object.values(userStoreProperties), ...Object.values(userStoreDetails)]) {
    if (!('name' in key)) continue;
    const kind = config.value(key)?.source.kind;
    if (kind !== 'file' && (kind !== 'inferred' || onlyWritten.has(key.name))) continue;
    const value = key.type.unit === undefined ? config.get(key) : config.milliseconds(key as typeof timeKey);
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      properties.set(key.name, String(value));
    }
  }
  if (config.has(userStore.baseDn)) {
    for (const [name, unit] of searchBases) {
      if (config.value(name)?.source.kind === 'file') continue;
      properties.set(name.name, `ou=${unit},${config.get(userStore.baseDn)}`);
    }
  }
  return properties;
}

/** Where entries are below the base of a directory, unless their own key says it. */
const searchBases = [
  [userStoreProperties.userSearchBase, 'Users'],
  [userStoreProperties.groupSearchBase, 'Groups'],
] as const;

/** What the kind of store implies in the original but better defaults replace here, unless it is written. */
const onlyWritten: ReadonlySet<string> = new Set([
  'PasswordDigest',
  // The pattern of the server decides where forms have none of their own.
  'PasswordJavaScriptRegEx',
  'UsernameJavaScriptRegEx',
]);

const timeKey = userStoreProperties.ldapConnectionTimeout;

/** A property that says true or false. */
export function flagOf(properties: StoreProperties, name: string, whenAbsent: boolean): boolean {
  const text = properties.get(name)?.trim().toLowerCase();
  return text === undefined || text === '' ? whenAbsent : text === 'true';
}

/**
 * A property that is a whole number.
 *
 * @throws MillraceError `MR_STORE_PROPERTY`
 */
export function numberOf(properties: StoreProperties, name: string, whenAbsent: number): number {
  const text = properties.get(name)?.trim();
  if (text === undefined || text === '') return whenAbsent;
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  throw new MillraceError({
    code: 'MR_STORE_PROPERTY',
    status: 400,
    message: `${name}: expected a whole number, found "${text}"`,
  });
}

/** A property that is text; an empty one counts as absent. */
export function textOf(properties: StoreProperties, name: string): string | undefined {
  const text = properties.get(name)?.trim();
  return text === '' ? undefined : text;
}
