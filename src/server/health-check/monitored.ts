import { getLogger } from '#core';

const log = getLogger('server');

export interface MonitoredParts {
  /** The key that names them, for the log. */
  readonly key: string;
  /** What is to be watched; everything when undefined. */
  readonly names: readonly string[] | undefined;
  /** The part of a name that counts, besides its case; all of it when absent. */
  readonly reduce?: (name: string) => string;
}

/** Which of the things that there are a checker looks at. */
export interface Monitored {
  /** Those that are watched. A name that none of them has is told in the log once: the original ignores it. */
  among<Item>(items: readonly Item[], nameOf: (item: Item) => string): readonly Item[];
}

export function createMonitored({ key, names, reduce = (name) => name }: MonitoredParts): Monitored {
  if (!names) return { among: (items) => items };
  const plain = (name: string): string => reduce(name.trim()).toLowerCase();
  const wanted = new Set(names.map(plain));
  const told = new Set<string>();
  return {
    among(items, nameOf) {
      const known = new Set(items.map((item) => plain(nameOf(item))));
      for (const name of wanted) {
        if (known.has(name) || told.has(name)) continue;
        told.add(name);
        log.warn({ key, name }, 'there is nothing of a name that the health check should watch');
      }
      return items.filter((item) => wanted.has(plain(nameOf(item))));
    },
  };
}
