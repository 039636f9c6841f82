import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';

export interface Column<Row> {
  readonly name: string;
  readonly title: string;
  readonly isNumber?: boolean;
  /** What the column is sorted by; not sortable when absent. */
  readonly sortBy?: (row: Row) => string | number;
  readonly cell: (row: Row) => ReactNode;
}

export interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly onOpen?: (row: Row) => void;
  readonly onPeek?: (row: Row) => void;
  /** What a click on a row does besides selecting it. */
  readonly onPick?: (row: Row) => void;
  /** `name` or `-name`; with `onSort` the rows come sorted. */
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
  /** Keys of rows that are chosen for something; rows have boxes to choose them when it is there. */
  readonly chosen?: ReadonlySet<string>;
  readonly onChoose?: (chosen: ReadonlySet<string>) => void;
}

const rowHeight = 32;
/** Longer tables draw only what is seen. */
const virtualFrom = 200;

/** A table for many rows: sorted, moved through by arrows or J and K; Enter opens, space peeks. */
export function DataTable<Row>(props: TableProps<Row>) {
  const { label, columns, rowKey, onOpen, onPeek, onSort } = props;
  const [ownSort, setOwnSort] = useState('');
  const [selected, select] = useState(-1);
  const [top, setTop] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const sort = props.sort ?? ownSort;
  const rows = onSort ? props.rows : sorted(props.rows, columns, sort);
  const isVirtual = rows.length > virtualFrom;
  const first = isVirtual ? Math.max(0, Math.floor(top / rowHeight) - 20) : 0;
  const last = isVirtual ? Math.min(rows.length, first + 80) : rows.length;

  useEffect(() => {
    if (selected < 0) return;
    box.current?.querySelector(`[data-row="${selected}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [selected]);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== box.current) return;
    const row = rows[selected];
    const moves: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };
    const move = moves[event.key];
    if (move !== undefined) select(Math.min(rows.length - 1, Math.max(0, selected + move)));
    else if (event.key === 'Enter' && row !== undefined) onOpen?.(row);
    else if (event.key === ' ' && row !== undefined) onPeek?.(row);
    else return;
    event.preventDefault();
  };
  const { chosen, onChoose } = props;
  const choose = (keys: readonly string[], isOn: boolean): void => {
    const next = new Set(chosen);
    for (const key of keys)
      if (isOn) next.add(key);
      else next.delete(key);
    onChoose?.(next);
  };
  const isAll = chosen !== undefined && rows.length > 0 && rows.every((row) => chosen.has(rowKey(row)));
  const across = columns.length + (chosen ? 1 : 0);
  const changeSort = (name: string): void => {
    const next = sort === name ? `-${name}` : name;
    if (onSort) onSort(next);
    else setOwnSort(next);
  };
  return (
    // A region that scrolls takes the keyboard too.
    <div
      ref={box}
      className={`scroll${isVirtual ? ' tall' : ''}`}
      role="region"
      aria-label={label}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {chosen && (
              <th className="choice">
                <input
                  type="checkbox"
                  aria-label="Choose all rows"
                  checked={isAll}
                  onChange={(event) => choose(rows.map(rowKey), event.target.checked)}
                />
              </th>
            )}
            {columns.map((column) => (
              <th key={column.name} className={column.isNumber ? 'number' : ''} aria-sort={ariaSort(sort, column)}>
                {column.sortBy || onSort ? (
                  <button onClick={() => changeSort(column.name)}>
                    {column.title}
                    <span aria-hidden="true">
                      {sort === column.name ? ' ▲' : sort === `-${column.name}` ? ' ▼' : ''}
                    </span>
                  </button>
                ) : (
                  column.title
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {first > 0 && (
            <tr aria-hidden="true" style={{ height: first * rowHeight }}>
              <td colSpan={across} />
            </tr>
          )}
          {rows.slice(first, last).map((row, index) => (
            <tr
              key={rowKey(row)}
              data-row={first + index}
              aria-rowindex={first + index + 2}
              {...(selected === first + index ? { 'data-selected': true } : {})}
              className={selected === first + index ? 'selected' : ''}
              onClick={() => {
                select(first + index);
                props.onPick?.(row);
              }}
            >
              {chosen && (
                <td className="choice">
                  <input
                    type="checkbox"
                    aria-label={`Choose ${decodeURIComponent(rowKey(row).split('/').at(-1) ?? '')}`}
                    checked={chosen.has(rowKey(row))}
                    onClick={(event) => event.stopPropagation()}
                    onChange={(event) => choose([rowKey(row)], event.target.checked)}
                  />
                </td>
              )}
              {columns.map((column) => (
                <td key={column.name} className={column.isNumber ? 'number' : ''}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
          {last < rows.length && (
            <tr aria-hidden="true" style={{ height: (rows.length - last) * rowHeight }}>
              <td colSpan={across} />
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

function ariaSort<Row>(sort: string, { name }: Column<Row>): 'ascending' | 'descending' | undefined {
  return sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : undefined;
}

function sorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sort: string): readonly Row[] {
  const by = columns.find(({ name }) => name === sort.replace(/^-/, ''))?.sortBy;
  if (!by) return rows;
  const direction = sort.startsWith('-') ? -1 : 1;
  return rows.toSorted((left, right) => {
    const [a, b] = [by(left), by(right)];
    return direction * (a < b ? -1 : a > b ? 1 : 0);
  });
}
