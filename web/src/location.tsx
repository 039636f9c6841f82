import { useSyncExternalStore, type AnchorHTMLAttributes, type ReactNode } from 'react';
import { scopeOf, type Scope } from './scope.ts';

const listeners = new Set<() => void>();
addEventListener('popstate', () => tell());

function tell(): void {
  for (const listener of listeners) listener();
}

/** Search parameters that stay from page to page: what the console looks at. */
const kept = ['group', 'node', 'on', 'range'];

/** Goes to a page of the console; the scope stays unless the address names another. */
export function navigate(to: string, options: { readonly replace?: boolean } = {}): void {
  history[options.replace ? 'replaceState' : 'pushState'](null, '', withScope(to));
  tell();
  if (!options.replace) document.querySelector('main')?.scrollTo(0, 0);
}

export function withScope(to: string): string {
  const target = new URL(to, location.href);
  const here = new URLSearchParams(location.search);
  for (const name of kept) {
    if (!target.searchParams.has(name)) for (const value of here.getAll(name)) target.searchParams.append(name, value);
    if (target.searchParams.get(name) === '') target.searchParams.delete(name);
  }
  return target.pathname + target.search;
}

export interface Place {
  readonly path: string;
  readonly search: URLSearchParams;
}

let last: { href: string; place: Place } | undefined;

function placeNow(): Place {
  if (last?.href !== location.href) {
    const path = location.pathname.replace(/(.)\/+$/, '$1');
    last = { href: location.href, place: { path, search: new URLSearchParams(location.search) } };
  }
  return last.place;
}

export function usePlace(): Place {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, placeNow);
}

/** The group and nodes that the address names. */
export function useScope(): Scope {
  return scopeOf(usePlace().search);
}

/** Changes one search parameter of the page; empty removes it. */
export function setSearch(name: string, value: string, options = { replace: true }): void {
  setSearches({ [name]: value === '' ? [] : [value] }, options);
}

/** Changes several search parameters of the page at once, each to some values or none. */
export function setSearches(
  changes: Readonly<Record<string, readonly string[]>>,
  options: { readonly replace: boolean } = { replace: true },
): void {
  const search = new URLSearchParams(location.search);
  for (const [name, values] of Object.entries(changes)) {
    search.delete(name);
    for (const value of values) search.append(name, value);
  }
  const text = search.toString();
  history[options.replace ? 'replaceState' : 'pushState'](null, '', location.pathname + (text && `?${text}`));
  tell();
}

export function Link({
  to,
  children,
  ...rest
}: { to: string; children: ReactNode } & AnchorHTMLAttributes<HTMLAnchorElement>) {
  return (
    <a
      {...rest}
      href={withScope(to)}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        navigate(to);
      }}
    >
      {children}
    </a>
  );
}
