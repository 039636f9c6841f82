import { Link, usePlace } from './location.tsx';

/** Views of one page; which one is in the address. */
export function Tabs({ tab, names }: { tab: string; names: readonly string[] }) {
  const { path } = usePlace();
  return (
    <nav className="tabs" aria-label="Views">
      {names.map((name) => (
        <Link key={name} to={`${path}?tab=${name}`} {...(name === tab ? { 'aria-current': 'page' as const } : {})}>
          {(name[0] ?? '').toUpperCase() + name.slice(1)}
        </Link>
      ))}
    </nav>
  );
}
