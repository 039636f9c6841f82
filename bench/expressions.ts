// `node tools/with-node.mjs bench/expressions.ts [--seconds N]`: parsers, writers and expressions alone, in one process.
import { parseArgs } from 'node:util';
import { compileExpression } from '#expression';
import { jsonToXml, parseJson, stringifyJson, xmlToJsonText } from '#json';
import { parseXml, serializeXml } from '#xml';
import { createTestScope } from '../src/expression/test-scope.ts';
import { jsonOrders, sizes, soapOrders } from './documents.ts';
import { describeMachine } from './machine.ts';
import { median } from './median.ts';
import { alignColumns } from './table.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '1' } } });
const budget = Number(values.seconds) * 1000;

type Case = readonly [name: string, run: () => unknown];

/** What is measured at one size. */
function casesOf(xml: string, json: string): readonly Case[] {
  const { root } = parseXml(xml);
  const value = parseJson(json);
  const view = jsonToXml(json);
  const soap = createTestScope({ envelope: root });
  const scope = createTestScope({ json });
  const first = compileExpression('//order[1]/symbol');
  const condition = compileExpression("//order[1]/symbol = 'IBM'");
  const count = compileExpression('count(//order)');
  const path = compileExpression('json-eval($.orders.order[0].symbol)');
  const filter = compileExpression('json-eval($.orders.order[?(@.quantity > 100)].id)');
  const synapse = compileExpression('${payload.orders.order[0].quantity + 1}');
  return [
    ['read XML', () => parseXml(xml)],
    ['write XML', () => serializeXml(root)],
    ['read JSON', () => parseJson(json)],
    ['write JSON', () => stringifyJson(value)],
    ['XML to JSON', () => xmlToJsonText(root)],
    ['JSON to XML', () => jsonToXml(json)],
    ['write the view of JSON', () => view && serializeXml(view)],
    ['//order[1]/symbol', () => first.evaluateString(soap)],
    ["//order[1]/symbol = 'IBM'", () => condition.evaluateBoolean(soap)],
    ['count(//order)', () => count.evaluateString(soap)],
    ['json-eval of one member', () => path.evaluateString(scope)],
    ['json-eval with a filter', () => filter.evaluateString(scope)],
    ['${…} with a sum', () => synapse.evaluateString(scope)],
  ];
}

/** Median time of one call in microseconds, over ten rounds after one that is thrown away. */
function measure(run: () => unknown): number {
  const times: number[] = [];
  let calls = 1;
  for (let round = 0; round <= 10; round++) {
    const began = performance.now();
    for (let call = 0; call < calls; call++) run();
    const spent = performance.now() - began;
    if (round > 0) times.push((spent * 1000) / calls);
    calls = Math.max(1, Math.round((calls * budget) / 10 / Math.max(spent, 0.001)));
  }
  return median(times);
}

const { processor, load, node } = describeMachine();
console.log(`${processor}, load ${load}, Node ${node}; microseconds for one call, and calls per second`);
const rows: string[][] = [];
for (const [size, bytes] of Object.entries(sizes)) {
  for (const [name, run] of casesOf(soapOrders(bytes), jsonOrders(bytes))) {
    const time = measure(run);
    rows.push([name, size, time.toFixed(2), (1e6 / time).toFixed(0)]);
  }
}
console.log(`\n${alignColumns([['', 'size', 'µs', '/s'], ...rows])}`);
