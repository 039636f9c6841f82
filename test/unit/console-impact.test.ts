import assert from 'node:assert/strict';
import { it } from 'node:test';
import { entriesOf, passedThrough } from '../../web/src/impact.ts';

it('a danger touches the messages of what uses an artifact, also in a circle', () => {
  const use = (from: string, to: string): { from: string; to: string; by: string } => ({ from, to, by: 'call' });
  const uses = [
    use('sequence:A', 'endpoint:E'),
    use('api:One', 'sequence:A'),
    use('sequence:A', 'sequence:B'),
    use('sequence:B', 'sequence:A'),
    use('api:Two', 'endpoint:Other'),
  ];
  const entries = entriesOf(['endpoint:E'], uses);
  assert.deepEqual([...entries].toSorted(), ['api:One', 'endpoint:E', 'sequence:A', 'sequence:B']);
  const passed = [
    { group: 'g', artifact: 'api:One', messages: 3 },
    { group: 'g', artifact: 'api:Two', messages: 9 },
    { group: 'g', artifact: 'api:Three', messages: null },
  ];
  assert.deepEqual(passedThrough(passed, entries), { messages: 3, through: ['api:One'] });
  assert.deepEqual(passedThrough(passed, undefined), { messages: 12, through: ['api:Two', 'api:One'] });
  assert.deepEqual(passedThrough([], entries), { messages: 0, through: [] });
});
