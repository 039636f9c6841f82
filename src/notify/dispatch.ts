import { MillraceError } from '#errors';
import { adapterOf, adapterTypes } from './adapters/index.ts';
import type { OutputAdapter } from './adapters/adapter.ts';
import { compileMapping, compileText, mediaTypes, type Render } from './publishers/mapping.ts';
import type { Publisher } from './publishers/publisher.ts';
import type { JobDocument } from './queue/queue-store.ts';
import type { StreamEvent } from './stream-event.ts';

/** A publisher whose texts were cut up. */
interface Compiled {
  readonly publisher: Publisher;
  readonly adapter: OutputAdapter;
  readonly body: Render;
  readonly values: readonly (readonly [key: string, render: Render])[];
}

const compiled = new WeakMap<Publisher, Compiled>();

/**
 * What a publisher makes of an event: one document per message.
 *
 * @throws MillraceError `MR_NOTIFY_ADAPTER`, `MR_NOTIFY_ATTRIBUTE`, `MR_NOTIFY_RECIPIENT`
 */
export function documentsOf(publisher: Publisher, event: StreamEvent, domain: string): readonly JobDocument[] {
  const { adapter, body, values } = compile(publisher);
  const text = body(event);
  const rendered = Object.fromEntries(values.map(([key, render]) => [key, render(event)]));
  return adapter.split(rendered).map((own) => ({
    publisher: publisher.name,
    domain,
    body: text,
    contentType: mediaTypes[publisher.mapping.type],
    values: own,
  }));
}

function compile(publisher: Publisher): Compiled {
  const known = compiled.get(publisher);
  if (known) return known;
  const adapter = adapterOf(publisher);
  if (!adapter) {
    throw new MillraceError({
      code: 'MR_NOTIFY_ADAPTER',
      status: 422,
      message: `The publisher "${publisher.name}" names the adapter "${publisher.adapter}"; possible are ${adapterTypes.join(', ')}`,
    });
  }
  const made = {
    publisher,
    adapter,
    body: compileMapping(publisher.mapping),
    values: adapter.dynamic.flatMap((key) => {
      const text = publisher.properties.get(key);
      return text === undefined ? [] : [[key, compileText(text)] as const];
    }),
  };
  compiled.set(publisher, made);
  return made;
}
