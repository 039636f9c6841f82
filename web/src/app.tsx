import { lazy, Suspense, useEffect, useState } from 'react';
import { ask, followEvents, onSignedOut, readSession, type Session, type User } from './api.ts';
import { Frame } from './frame.tsx';
import { Link, usePlace } from './location.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { SignInPage } from './pages/sign-in.tsx';
import { Title } from './parts.tsx';
import { applyPreferences } from './preferences.ts';

/** Pages that are loaded when somebody goes there. */
const pages = {
  artifacts: lazy(async () => ({ default: (await import('./pages/artifacts.tsx')).ArtifactsPage })),
  artifact: lazy(async () => ({ default: (await import('./pages/artifact.tsx')).ArtifactPage })),
  nodes: lazy(async () => ({ default: (await import('./pages/nodes.tsx')).NodesPage })),
  node: lazy(async () => ({ default: (await import('./pages/node.tsx')).NodePage })),
  traffic: lazy(async () => ({ default: (await import('./pages/traffic.tsx')).TrafficPage })),
  problems: lazy(async () => ({ default: (await import('./pages/problems.tsx')).ProblemsPage })),
  deploy: lazy(async () => ({ default: (await import('./pages/deploy.tsx')).DeployPage })),
  dependencies: lazy(async () => ({ default: (await import('./pages/dependencies.tsx')).DependenciesPage })),
  traces: lazy(async () => ({ default: (await import('./pages/traces.tsx')).TracesPage })),
  trace: lazy(async () => ({ default: (await import('./pages/trace.tsx')).TracePage })),
  messages: lazy(async () => ({ default: (await import('./pages/messages.tsx')).MessagesPage })),
  logs: lazy(async () => ({ default: (await import('./pages/logs.tsx')).LogsPage })),
  configuration: lazy(async () => ({ default: (await import('./pages/configuration.tsx')).ConfigurationPage })),
  audit: lazy(async () => ({ default: (await import('./pages/audit.tsx')).AuditPage })),
  access: lazy(async () => ({ default: (await import('./pages/access.tsx')).AccessPage })),
} as const;

applyPreferences();

export function App() {
  const [session, setSession] = useState<Session>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const load = (): void => {
      readSession().then(setSession, (error: Error) => setProblem(error.message));
    };
    onSignedOut(load);
    load();
  }, []);
  const isSignedIn = session?.user !== undefined;
  useEffect(() => (isSignedIn ? followEvents() : undefined), [isSignedIn]);
  if (problem !== undefined) return <p role="alert">The dashboard does not answer: {problem}</p>;
  if (!session) return null;
  if (!session.user) return <SignInPage hasSso={session.sso} onSignedIn={setSession} />;
  const signOut = (): void => {
    void leave();
  };
  return (
    <Frame user={session.user} onSignOut={signOut}>
      <Suspense fallback={null}>
        <Routed user={session.user} />
      </Suspense>
    </Frame>
  );
}

/** Ends the session, and goes where the provider ends its own. */
async function leave(): Promise<void> {
  const { location: next } = (await ask('DELETE', '/session')) as { location: string };
  location.assign(next);
}

function Routed({ user }: { user: User }) {
  const { path } = usePlace();
  const [, first = '', ...rest] = path.split('/').map(decodeURIComponent);
  useEffect(() => {
    document.title = `${first === '' ? 'Overview' : [first, ...rest].join(' · ')} – Millrace`;
  }, [path]);
  if (first === '' || first === 'sso') return <OverviewPage user={user} />;
  const [group = '', id = ''] = rest;
  if (first === 'artifacts' && rest.length >= 3) {
    const [kind = '', ...name] = rest.slice(1);
    return <pages.artifact key={path} group={group} kind={kind} name={name.join('/')} user={user} />;
  }
  if (first === 'nodes' && rest.length === 2) return <pages.node key={path} group={group} id={id} user={user} />;
  if (first === 'traces' && rest.length === 3)
    return <pages.trace key={path} group={group} id={id} number={rest[2] ?? ''} user={user} />;
  if (first === 'artifacts' && rest.length <= 1) return <pages.artifacts kind={rest[0]} />;
  if (rest.length === 0) {
    switch (first) {
      case 'nodes':
        return <pages.nodes user={user} />;
      case 'traffic':
        return <pages.traffic />;
      case 'problems':
        return <pages.problems />;
      case 'deploy':
        return <pages.deploy user={user} />;
      case 'dependencies':
        return <pages.dependencies />;
      case 'traces':
        return <pages.traces user={user} />;
      case 'messages':
        return <pages.messages user={user} />;
      case 'logs':
        return <pages.logs user={user} />;
      case 'configuration':
        return <pages.configuration user={user} />;
      case 'audit':
        return <pages.audit user={user} />;
      case 'access':
        return <pages.access user={user} />;
    }
  }
  return (
    <>
      <Title title="No such page" />
      <p>
        Nothing is at <code>{path}</code>. <Link to="/">Go to the overview</Link>
      </p>
    </>
  );
}
