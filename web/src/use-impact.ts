import { useEffect, useState } from 'react';
import { ask, messageOf, type ListOf } from './api.ts';
import type { Dependencies } from './dependencies.ts';
import { entriesOf, passedThrough, type Passed, type Touched } from './impact.ts';
import { scoped } from './scope.ts';

/** What the last hour says about a danger; `reason` when the dashboard could not tell. */
export type Impact = { readonly messages: number; readonly through: readonly string[] } | { readonly reason: string };

/** The requests of the last hour that what is touched took part in; undefined until they are known. */
export function useImpact(touched: readonly Touched[] | undefined, isAsked: boolean): Impact | undefined {
  const [impact, setImpact] = useState<Impact>();
  const key = JSON.stringify(touched);
  useEffect(() => {
    if (!isAsked || !touched) return undefined;
    let isOver = false;
    setImpact(undefined);
    void impactOfAll(touched).then((found) => (isOver ? undefined : setImpact(found)));
    return () => {
      isOver = true;
    };
  }, [key, isAsked]);
  return impact;
}

async function impactOfAll(touched: readonly Touched[]): Promise<Impact> {
  try {
    const all = await Promise.all(touched.map(impactOf));
    return {
      messages: all.reduce((sum, { messages }) => sum + messages, 0),
      through: [...new Set(all.flatMap(({ through }) => through))],
    };
  } catch (error) {
    return { reason: messageOf(error) };
  }
}

async function impactOf({ group, keys, node }: Touched): Promise<ReturnType<typeof passedThrough>> {
  const scope = { group, nodes: node === undefined ? [] : [node] };
  const [{ artifacts }, uses] = await Promise.all([
    ask('GET', scoped('/rollups', scope, { step: '3600' })) as Promise<{ artifacts: ListOf<Passed>['list'] }>,
    keys === undefined
      ? undefined
      : (ask('GET', `/dependencies/${encodeURIComponent(group)}`) as Promise<Dependencies>).then((found) => found.uses),
  ]);
  return passedThrough(artifacts, keys && uses ? entriesOf(keys, uses) : undefined);
}
