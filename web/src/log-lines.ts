import { useEffect, useState } from 'react';
import { ApiError, ask, messageOf, nodePath, type NodeFacts } from './api.ts';
import { keepLoading } from './live.tsx';

/** A part of a log file as a runtime says it; positions in bytes. */
interface LogPart {
  readonly offset: number;
  readonly next: number;
  readonly text: string;
}

export interface LogLines {
  readonly lines: readonly string[];
  readonly problem: string | undefined;
}

/** Lines that are kept of a file. */
const keptLines = 10_000;
/** Seconds between two looks: only what is new is asked for. */
const lookEvery = 1;
/** The same for runtimes that tell only whole files. */
const wholeEvery = 15;

/** Follows a log file from its end on. */
export function useLogLines(node: NodeFacts, file: string | undefined): LogLines {
  const [state, setState] = useState<LogLines>({ lines: [], problem: undefined });
  useEffect(() => {
    if (file === undefined) return;
    let isOver = false;
    let isBusy = false;
    let next: number | undefined;
    let stop = (): void => undefined;
    const show = (lines: readonly string[], isAnew: boolean): void => {
      if (isOver) return;
      setState((before) =>
        !isAnew && lines.length === 0 && before.problem === undefined
          ? before
          : { lines: [...(isAnew ? [] : before.lines), ...lines].slice(-keptLines), problem: undefined },
      );
    };
    const loadWhole = async (): Promise<void> => {
      const answer = await ask('GET', nodePath(node, `logs?file=${encodeURIComponent(file)}`));
      show(linesOf(typeof answer === 'string' ? answer : JSON.stringify(answer)), true);
    };
    const loadPart = async (): Promise<void> => {
      const query = next === undefined ? '' : `?offset=${next}`;
      try {
        const part = (await ask('GET', nodePath(node, `log-parts/${encodeURIComponent(file)}${query}`))) as LogPart;
        // A file that began anew begins anew here.
        show(linesOf(part.text), part.offset !== next);
        next = part.next;
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 404 && next === undefined)) throw error;
        await loadWhole();
        stop();
        if (!isOver) stop = keepLoading(() => void load(loadWhole), wholeEvery);
      }
    };
    const load = async (work: () => Promise<void>): Promise<void> => {
      if (isBusy) return;
      isBusy = true;
      try {
        await work();
      } catch (error) {
        const problem = messageOf(error);
        if (!isOver) setState((before) => ({ ...before, problem }));
      } finally {
        isBusy = false;
      }
    };
    stop = keepLoading(() => void load(loadPart), lookEvery);
    void load(loadPart);
    return () => {
      isOver = true;
      stop();
      setState({ lines: [], problem: undefined });
    };
  }, [file, node.group, node.id]);
  return state;
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
