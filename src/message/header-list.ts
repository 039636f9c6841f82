/** Header fields in wire order as a flat list: name, value, name, value … Names keep their spelling. */
export type HeaderList = string[];

/** The first value of the field `name` (any case), or undefined. */
export function getHeader(list: Readonly<HeaderList>, name: string): string | undefined {
  const index = indexOfHeader(list, name, 0);
  return index < 0 ? undefined : list[index + 1];
}

/** Every value of the field `name`, in order. */
export function getAllHeaders(list: Readonly<HeaderList>, name: string): string[] {
  const values: string[] = [];
  for (let index = indexOfHeader(list, name, 0); index >= 0; index = indexOfHeader(list, name, index + 2)) {
    values.push(list[index + 1] ?? '');
  }
  return values;
}

/** Gives the field one value: the first field of that name keeps its place and takes the new spelling, others go. */
export function setHeader(list: HeaderList, name: string, value: string): void {
  const index = indexOfHeader(list, name, 0);
  if (index < 0) {
    list.push(name, value);
    return;
  }
  list[index] = name;
  list[index + 1] = value;
  removeFrom(list, name, index + 2);
}

/** Removes every field of the name. */
export function removeHeader(list: HeaderList, name: string): void {
  removeFrom(list, name, 0);
}

/** The index of the name of the next field called `name` at or after `from`, or -1. */
export function indexOfHeader(list: Readonly<HeaderList>, name: string, from: number): number {
  for (let index = from; index < list.length; index += 2) {
    const candidate = list[index];
    if (candidate === name || (candidate?.length === name.length && equalsIgnoringCase(candidate, name))) return index;
  }
  return -1;
}

function removeFrom(list: HeaderList, name: string, from: number): void {
  for (let index = indexOfHeader(list, name, from); index >= 0; index = indexOfHeader(list, name, index)) {
    list.splice(index, 2);
  }
}

/** ASCII case-insensitive comparison of two names of equal length, without making new strings. */
function equalsIgnoringCase(left: string, right: string): boolean {
  for (let index = 0; index < left.length; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a === b) continue;
    const folded = a | 0x20;
    if (folded !== (b | 0x20) || folded < 0x61 || folded > 0x7a) return false;
  }
  return true;
}
