import { useResource } from '../api.ts';
import { artifactPath } from '../artifact-path.ts';
import { reachOf, type Dependencies } from '../dependencies.ts';
import { Link } from '../location.tsx';
import { CopyButton, Facts, State, valueText } from '../parts.tsx';
import type { Problem } from '../problems.ts';
import { TimeChart } from '../time-chart.tsx';
import { useTraffic } from '../traffic.ts';
import type { Artifact } from './artifact-facts.ts';
import { WhatIsWrong } from './artifact-problems.tsx';
import { EndpointStates } from './endpoint-state.tsx';

/** Members that have a place of their own on the page. */
const elsewhere = new Set(['configuration', 'hash', 'key', 'kind', 'name', 'resources', 'state', 'mediators']);

/** What an artifact is, what it stands on and what stands on it; an endpoint's state on each node. */
export function ArtifactOverview({ artifact, problems }: { artifact: Artifact; problems: readonly Problem[] }) {
  const { group, kind, name, detail, on } = artifact;
  const resources = Array.isArray(detail['resources']) ? (detail['resources'] as readonly unknown[]) : [];
  return (
    <div className="split">
      <div>
        {(kind === 'api' || kind === 'proxy') && <Passing artifact={`${kind}:${name}`} />}
        <Facts
          rows={Object.entries(detail)
            .filter(([member]) => !elsewhere.has(member))
            .map(([member, value]) => [member, <Value key={member} member={member} value={value} />])}
        />
        {resources.length > 0 && (
          <>
            <h2>Resources</h2>
            {resources.map((resource, index) => (
              <p key={index} className="line">
                <Resource value={resource} />
              </p>
            ))}
          </>
        )}
        {kind === 'endpoint' && (
          <EndpointStates
            group={group}
            nodes={on.filter(({ health }) => health !== 'lost').map(({ node }) => node)}
            name={name}
          />
        )}
        <WhatIsWrong artifact={artifact} problems={problems} />
      </div>
      <Relations group={group} own={`${kind}:${name}`} />
    </div>
  );
}

/** Messages over the time range of the top bar. */
function Passing({ artifact }: { artifact: string }) {
  const traffic = useTraffic(artifact);
  const now = Date.now();
  return (
    <section className="panel traffic-panel" aria-label="Messages over time">
      <TimeChart
        moments={traffic?.moments ?? []}
        from={traffic?.from ?? now - 3_600_000}
        to={traffic?.to ?? now}
        step={traffic?.step ?? 60_000}
        marks={[]}
      />
    </section>
  );
}

function Value({ member, value }: { member: string; value: unknown }) {
  if (member === 'status') return <State word={valueText(value)} />;
  const text = valueText(value);
  if (/^https?:\/\//.test(text)) {
    return (
      <>
        <code>{text}</code> <CopyButton text={text} />
      </>
    );
  }
  if (typeof value === 'object' && value !== null) return <pre tabIndex={0}>{JSON.stringify(value, undefined, 2)}</pre>;
  return text;
}

function Resource({ value }: { value: unknown }) {
  const { methods, url } = (value ?? {}) as { methods?: unknown; url?: unknown };
  return (
    <>
      <strong>{Array.isArray(methods) ? methods.join(' ') : valueText(methods)}</strong> <code>{valueText(url)}</code>
    </>
  );
}

/** What an artifact uses and what uses it, one step away. */
function Relations({ group, own }: { group: string; own: string }) {
  const dependencies = useResource<Dependencies>(`/dependencies/${encodeURIComponent(group)}`, 60);
  if (!dependencies.data) return null;
  const { uses } = dependencies.data;
  const used = uses.filter(({ from }) => from === own).map(({ to }) => to);
  const users = uses.filter(({ to }) => to === own).map(({ from }) => from);
  const all = reachOf(own, uses).length - 1;
  return (
    <section aria-label="Dependencies">
      <h2 className="first">Used by</h2>
      <Keys group={group} keys={users} otherwise="No other artifact names it." />
      <h2>Uses</h2>
      <Keys group={group} keys={used} otherwise="It names no other artifact." />
      {all > 0 && (
        <Link to={`/dependencies?group=${encodeURIComponent(group)}&of=${encodeURIComponent(own)}`}>As a graph</Link>
      )}
    </section>
  );
}

function Keys({ group, keys, otherwise }: { group: string; keys: readonly string[]; otherwise: string }) {
  if (keys.length === 0) return <p className="quiet">{otherwise}</p>;
  return keys.map((key) => {
    const [kind = '', ...name] = key.split(':');
    return (
      <p key={key} className="line">
        <span className="quiet">{kind}</span>
        <Link to={artifactPath({ group, kind, name: name.join(':') })}>{name.join(':')}</Link>
      </p>
    );
  });
}
