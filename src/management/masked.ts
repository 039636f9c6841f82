import type { Capture, FaultNarrative, Masking } from '#mediation';

/** A capture as people see it: the value that it waits for may be one that nobody sees. */
export function maskCapture(capture: Capture, masking: Masking): Capture {
  const { header, predicate } = capture;
  const cover = masking.begin();
  const value = header?.value;
  const shown = header && {
    name: header.name,
    ...(value !== undefined && { value: cover.header(header.name, value) }),
  };
  return {
    ...capture,
    ...(shown && { header: shown }),
    ...(predicate !== undefined && { predicate: cover.text(predicate) }),
  };
}

/** A narrative as people see it. */
export function maskNarrative(narrative: FaultNarrative, masking: Masking): FaultNarrative {
  const cover = masking.begin();
  const text = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') return cover.property(name, value);
    if (Array.isArray(value)) return value.map((item) => text(item, name));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, text(member, key)]));
  };
  return {
    ...narrative,
    request: cover.text(narrative.request),
    incidents: narrative.incidents.map(({ at, kind, facts }) => ({
      at,
      kind,
      facts: text(facts, '') as Readonly<Record<string, unknown>>,
    })),
  };
}
