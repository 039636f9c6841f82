import { useState, type KeyboardEvent } from 'react';
import type { NodeFacts } from './api.ts';
import { setSearches, useScope } from './location.tsx';

/** Chooses the group and the nodes that all pages look at. */
export function ScopeChoice({ nodes }: { nodes: readonly NodeFacts[] }) {
  const { group = '', nodes: chosen } = useScope();
  const groups = new Set([...nodes.map((node) => node.group), ...(group === '' ? [] : [group])]);
  return (
    <>
      <select
        aria-label="Group"
        value={group}
        // Nodes belong to their group.
        onChange={({ target: { value } }) => setSearches({ group: value === '' ? [] : [value], node: [], on: [] })}
      >
        <option value="">All groups</option>
        {[...groups].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <NodesChoice nodes={nodes.filter((node) => group === '' || node.group === group)} chosen={chosen} />
    </>
  );
}

/** None chosen stands for all: those that come later belong to the scope too. */
function NodesChoice({ nodes, chosen }: { nodes: readonly NodeFacts[]; chosen: readonly string[] }) {
  const [isOpen, setOpen] = useState(false);
  const names = [...new Set([...nodes.map(({ id }) => id), ...chosen])];
  if (names.length < 2 && chosen.length === 0) return null;
  const choose = (next: readonly string[]): void =>
    setSearches({ node: next.length === names.length ? [] : next, on: [] });
  return (
    <details className="menu scope" onKeyDown={closeOnEscape} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className="visually-hidden">Nodes: </span>
        {chosen.length === 0 ? 'All nodes' : chosen.length === 1 ? chosen[0] : `${chosen.length} nodes`}
      </summary>
      {isOpen && (
        <div role="group" aria-label="Nodes">
          <button disabled={chosen.length === 0} onClick={() => choose([])}>
            All nodes
          </button>
          <div className="choices">
            {names.map((name) => (
              <label key={name} className="check">
                <input
                  type="checkbox"
                  checked={chosen.includes(name)}
                  onChange={({ target: { checked } }) =>
                    choose(checked ? [...chosen, name] : chosen.filter((each) => each !== name))
                  }
                />{' '}
                {name}
                {!nodes.some(({ id }) => id === name) && <span className="quiet"> does not report</span>}
              </label>
            ))}
          </div>
        </div>
      )}
    </details>
  );
}

function closeOnEscape(event: KeyboardEvent<HTMLDetailsElement>): void {
  if (event.key !== 'Escape') return;
  event.currentTarget.open = false;
  event.currentTarget.querySelector('summary')?.focus();
}
