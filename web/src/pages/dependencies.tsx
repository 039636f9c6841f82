import { useMemo } from 'react';
import { useResource, type ListOf, type NodeFacts } from '../api.ts';
import { artifactPath } from '../artifact-path.ts';
import { columnsOf, reachOf, type Dependencies } from '../dependencies.ts';
import { Link, navigate, setSearch, usePlace } from '../location.tsx';
import { Empty, Loaded, Title } from '../parts.tsx';
import { kindTitle } from '../sections.ts';

/** Artifacts that are drawn: more of them are a ball of wool. */
const drawn = 120;
const box = { width: 200, height: 40, across: 72, along: 10 } as const;

/** Who uses whom: everything of a small group, or what is around one artifact. */
export function DependenciesPage() {
  const { search } = usePlace();
  const nodes = useResource<ListOf<NodeFacts>>('/nodes', 60);
  const groups = [...new Set((nodes.data?.list ?? []).map(({ group }) => group))];
  const group = search.get('group') ?? groups[0];
  const dependencies = useResource<Dependencies>(
    group === undefined ? undefined : `/dependencies/${encodeURIComponent(group)}`,
    30,
  );
  return (
    <>
      <Title title="Dependencies" />
      <Loaded resource={nodes}>
        {() =>
          group === undefined ? (
            <Empty>No runtime reports here yet; the overview says what one needs for that.</Empty>
          ) : (
            <Loaded resource={dependencies}>{(found) => <Around group={group} dependencies={found} />}</Loaded>
          )
        }
      </Loaded>
    </>
  );
}

function Around({ group, dependencies }: { group: string; dependencies: Dependencies }) {
  const { search } = usePlace();
  const centre = search.get('of') ?? '';
  const { artifacts, uses } = dependencies;
  const shown = useMemo(() => {
    const used = new Set(uses.flatMap(({ from, to }) => [from, to]));
    const keys = centre === '' ? artifacts.map(({ key }) => key).filter((key) => used.has(key)) : reachOf(centre, uses);
    return keys.slice(0, drawn);
  }, [artifacts, uses, centre]);
  const known = new Set(shown);
  const lines = uses.filter(({ from, to }) => known.has(from) && known.has(to));
  const alone = artifacts.length - new Set(uses.flatMap(({ from, to }) => [from, to])).size;
  return (
    <>
      <div className="bar">
        <label>
          <span className="visually-hidden">Around</span>
          <select value={centre} onChange={(event) => setSearch('of', event.target.value)}>
            <option value="">Everything that is connected</option>
            {artifacts.map(({ key }) => (
              <option key={key}>{key}</option>
            ))}
          </select>
        </label>
        <span className="quiet" role="status">
          {shown.length} artifacts, {lines.length} uses{alone > 0 && `; ${alone} use nothing and are not used`}
          {shown.length === drawn && '; choose one artifact to see less'}
        </span>
      </div>
      {shown.length === 0 ? (
        <Empty>
          No artifact of {group} names another one.{' '}
          {centre !== '' && <Link to="/dependencies">Look at everything</Link>}
        </Empty>
      ) : (
        <Graph group={group} keys={shown} lines={lines} centre={centre} />
      )}
      {shown.length > 0 && (
        <details>
          <summary>The same as a list</summary>
          <ul>
            {lines.map(({ from, to, by }) => (
              <li key={`${from} ${to}`}>
                {from} uses {to} <span className="quiet">by {by}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function Graph(props: { group: string; keys: readonly string[]; lines: Dependencies['uses']; centre: string }) {
  const { group, keys, lines, centre } = props;
  const places = useMemo(() => {
    const columns = columnsOf(keys, lines);
    const rows = new Map<number, number>();
    return new Map(
      keys.map((key) => {
        const column = columns.get(key) ?? 0;
        const row = rows.get(column) ?? 0;
        rows.set(column, row + 1);
        return [key, { x: 12 + column * (box.width + box.across), y: 12 + row * (box.height + box.along) }] as const;
      }),
    );
  }, [keys.join('\n'), lines.length]);
  const width = Math.max(...[...places.values()].map(({ x }) => x)) + box.width + 12;
  const height = Math.max(...[...places.values()].map(({ y }) => y)) + box.height + 12;
  return (
    <div className="scroll graph" tabIndex={0} role="region" aria-label="Dependency graph">
      <svg width={width} height={height}>
        {lines.map(({ from, to }) => {
          const [a, b] = [places.get(from), places.get(to)];
          if (!a || !b) return null;
          const [x, y, toX, toY] = [a.x + box.width, a.y + box.height / 2, b.x, b.y + box.height / 2];
          const bend = Math.max(32, Math.abs(toX - x) / 2);
          const isNear = from === centre || to === centre;
          return (
            <path
              key={`${from} ${to}`}
              className={isNear ? 'near' : ''}
              d={`M${x} ${y}C${x + bend} ${y} ${toX - bend} ${toY} ${toX} ${toY}`}
              aria-hidden="true"
            />
          );
        })}
        {keys.map((key) => {
          const place = places.get(key) ?? { x: 0, y: 0 };
          const [kind = '', ...rest] = key.split(':');
          const name = rest.join(':');
          const path = artifactPath({ group, kind, name });
          return (
            <a
              key={key}
              href={path}
              className={key === centre ? 'centre' : ''}
              onClick={(event) => {
                event.preventDefault();
                // The first click looks around an artifact, the next one goes there.
                if (key === centre) navigate(path);
                else setSearch('of', key, { replace: false });
              }}
            >
              <rect {...place} width={box.width} height={box.height} rx={4} />
              <text x={place.x + 10} y={place.y + 17}>
                {name.length > 25 ? `${name.slice(0, 24)}…` : name}
              </text>
              <text x={place.x + 10} y={place.y + 32} className="sub">
                {kindTitle(kind)}
              </text>
            </a>
          );
        })}
      </svg>
    </div>
  );
}
