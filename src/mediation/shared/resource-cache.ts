import { synapseCodes } from '#errors';
import type { Message } from '#message';
import { serializeXml, XmlElement } from '#xml';
import { Fault } from '../fault.ts';

/** What was made of a resource, kept as long as the resource stays as it is. */
export type ResourceCache<T> = (message: Message, key: string) => T;

/**
 * Makes a cache of things compiled from resources: each is made again when the text under its key changes, or for
 * every message when `keeps` is false. A key that nothing answers to fails the message.
 */
export function createResourceCache<T>(make: (key: string, text: string) => T, keeps: boolean): ResourceCache<T> {
  const known = new Map<string, { readonly entry: string | XmlElement; readonly made: T }>();
  return (message, key) => {
    const entry = findEntry(message, key);
    const before = known.get(key);
    if (keeps && before?.entry === entry) return before.made;
    const made = make(key, entry instanceof XmlElement ? serializeXml(entry) : entry);
    known.set(key, { entry, made });
    return made;
  };
}

/** The text of a local entry or registry resource. @throws Fault when nothing answers to the key */
export function resourceText(message: Message, key: string): string {
  const entry = findEntry(message, key);
  return entry instanceof XmlElement ? serializeXml(entry) : entry;
}

function findEntry(message: Message, key: string): string | XmlElement {
  const { environment } = message.exchange;
  const entry = environment.localEntry(key) ?? environment.resource(key);
  if (entry !== undefined) return entry;
  throw new Fault({ code: synapseCodes.mediation, message: `Cannot find the resource with key ${key}` });
}
