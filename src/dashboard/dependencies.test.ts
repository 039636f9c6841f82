import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createContents } from './contents.ts';
import { dependenciesOf } from './dependencies.ts';
import type { RuntimeNode } from './registry.ts';

const contents = createContents();

function nodeWith(sources: Readonly<Record<string, string>>): RuntimeNode {
  const artifacts = Object.entries(sources).map(([key, configuration]) => {
    const [kind = '', name = ''] = key.split(':');
    return contents.intern({ kind, name, detail: { configuration } });
  });
  return { artifacts } as unknown as RuntimeNode;
}

test('sources name endpoints, sequences, templates, stores and entries that are deployed', () => {
  const { uses } = dependenciesOf([
    nodeWith({
      'api:Orders': `<api><resource faultSequence="Failed"><inSequence>
        <sequence key="Check"/><call><endpoint key="Stock"/></call><call><endpoint key="Gone"/></call>
        <xslt key="Sheet"/><call-template target="Say"/><store messageStore="Pending"/>
      </inSequence></resource></api>`,
      'sequence:Check': '<sequence name="Check" onError="Failed"><sequence key="Check"/></sequence>',
      'sequence:Failed': '<sequence name="Failed"/>',
      'endpoint:Stock': '<endpoint name="Stock"/>',
      'localEntry:Sheet': '<localEntry key="Sheet"/>',
      'template:Say': '<template name="Say"/>',
      'messageStore:Pending': '<messageStore name="Pending"/>',
      'messageProcessor:Move':
        '<messageProcessor name="Move" messageStore="Pending" targetEndpoint="Stock"><parameter name="message.processor.reply.sequence">Check</parameter></messageProcessor>',
      'dataSource:Db': '{"url":"no XML"}',
    }),
  ]);
  assert.deepEqual(uses.map(({ from, to, by }) => `${from} ${to} ${by}`).toSorted(), [
    'api:Orders endpoint:Stock endpoint',
    'api:Orders localEntry:Sheet xslt',
    'api:Orders messageStore:Pending store',
    'api:Orders sequence:Check sequence',
    'api:Orders sequence:Failed resource',
    'api:Orders template:Say call-template',
    'messageProcessor:Move endpoint:Stock messageProcessor',
    'messageProcessor:Move messageStore:Pending messageProcessor',
    'messageProcessor:Move sequence:Check parameter',
    'sequence:Check sequence:Failed sequence',
  ]);
});
