import type { CompileLibrary, Library, Lifecycle } from '#mediation';

/** A library for compiling one artifact, which remembers what the artifact has seen of it. */
export interface WatchedLibrary {
  readonly library: CompileLibrary;
  /** True when the artifact would see the same in another world. */
  seesTheSameIn(other: Library): boolean;
  /** Makes what is looked at later be looked at in another world. */
  moveTo(other: Library): void;
}

/** One look at the library, and what was seen. */
interface Look {
  readonly again: (library: Library) => unknown;
  readonly saw: unknown;
}

/** Watches what is looked at in a library, whose own lifecycle takes the place of that of the world. */
export function watchLibrary(first: Library, lifecycle: Lifecycle): WatchedLibrary {
  let current = first;
  const looks = new Map<string, Look>();
  /** What was seen first counts: that is what went into the compiled form. */
  const look = <T>(what: string, ask: (library: Library) => T, shown: (seen: T) => unknown = (seen) => seen): T => {
    const seen = ask(current);
    if (!looks.has(what)) looks.set(what, { again: (library) => shown(ask(library)), saw: shown(seen) });
    return seen;
  };
  const resource = (key: string): string | undefined => look(`resource ${key}`, (library) => library.resource(key));

  return {
    library: {
      endpointTemplate: (name) => look(`endpoint template ${name}`, (library) => library.endpointTemplate(name)),
      connector: (name) => look(`connector ${name}`, (library) => library.connector(name), operationsAsText),
      external: (scope, name) => look(`${scope} ${name}`, (library) => library.external(scope, name)),
      configuration: (name) => look(`configuration ${name}`, (library) => library.configuration(name)),
      secret: (alias) => look(`secret ${alias}`, (library) => library.secret(alias)),
      isSwitchedOn: (key) => look(`switch ${key}`, (library) => library.isSwitchedOn(key)),
      resource,
      xmlResource(key) {
        // The text says whether it has changed; each world parses it into another element.
        resource(key);
        return current.xmlResource(key);
      },
      get environment() {
        return current.environment;
      },
      lifecycle,
    },
    seesTheSameIn: (other) => [...looks.values()].every((each) => seesTheSame(each, other)),
    moveTo(other) {
      current = other;
    },
  };
}

function operationsAsText(operations: ReadonlyMap<string, string> | undefined): string | undefined {
  return operations && JSON.stringify([...operations]);
}

function seesTheSame({ again, saw }: Look, library: Library): boolean {
  try {
    return again(library) === saw;
  } catch {
    // Compiling again meets the same failure and reports it where it belongs.
    return false;
  }
}
