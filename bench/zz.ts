import { parseXml, serializeXml } from '#xml';
import { parseJson } from '#json';
import { soapOrders, jsonOrders } from './documents.ts';
const what = process.argv[2];
const xml = soapOrders(100 * 1024),
  json = jsonOrders(100 * 1024);
const n = +(process.argv[3] ?? 2000);
const f =
  what === 'xml'
    ? () => parseXml(xml)
    : what === 'json'
      ? () => parseJson(json)
      : what === 'jp'
        ? () => JSON.parse(json)
        : () => 0;
for (let r = 0; r < 4; r++) {
  const b = performance.now();
  for (let i = 0; i < n; i++) f();
  console.log(what, (((performance.now() - b) * 1000) / n).toFixed(0));
}
