import { isNameCharacter, isNameStart } from '#xml';
import { JsonMappingError } from './error.ts';

const digitPrefix = '_JsonReader_PD_';
const dollarPrefix = '_JsonReader_PS_';
const emptyName = '_JsonReader_E_';
const plainName = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

/**
 * The element or attribute name for a member name (runtime-core 6.5): digits and dollars in front are marked, other
 * characters that an XML name cannot have are escaped when `escape` is set.
 *
 * @throws JsonMappingError for a name that XML cannot have
 */
export function toXmlName(member: string, escape: boolean): string {
  if (plainName.test(member)) return member;
  if (/^[0-9]/.test(member)) return checked(`${digitPrefix}${member}`, escape);
  if (member.startsWith('$') && member.length > 1) return checked(`${dollarPrefix}${member.slice(1)}`, escape);
  return checked(member, escape);
}

function checked(name: string, escape: boolean): string {
  let result = '';
  for (const character of name) {
    const legal = character !== ':' && (result === '' ? isNameStart : isNameCharacter)(character);
    if (!legal && !escape) {
      throw new JsonMappingError(
        `the member "${name}" cannot become an XML name because of ${JSON.stringify(character)}`,
      );
    }
    result += legal ? character : `_JsonReader_${character.codePointAt(0)}_`;
  }
  if (result === '') throw new JsonMappingError('a member without a name cannot become an XML element');
  return result;
}

/** The member name for an XML name, undoing the marks of `toXmlName`. */
export function toMemberName(name: string): string {
  if (!name.includes('_JsonReader_')) return name;
  let member = name;
  if (name.startsWith(digitPrefix)) member = name.slice(digitPrefix.length);
  else if (name.startsWith(dollarPrefix)) member = `$${name.slice(dollarPrefix.length)}`;
  return member.replace(/_JsonReader_([0-9]{1,7})_/g, (mark, digits: string) => {
    const point = Number(digits);
    return point <= 0x10ffff ? String.fromCodePoint(point) : mark;
  });
}

/** Like `toXmlName`, for any name at all, so that `fromLosslessName` gives exactly the same name back. */
export function toLosslessName(member: string): string {
  if (member === '') return emptyName;
  return toXmlName(member.replaceAll(/_(?=JsonReader_)/g, '_JsonReader_95_'), true);
}

/** The member name behind a name of `toLosslessName`, or of any other XML. */
export function fromLosslessName(name: string): string {
  return name === emptyName ? '' : toMemberName(name);
}
