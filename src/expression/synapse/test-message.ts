import { parseXml } from '#xml';
import type { TestMessage } from '../test-scope.ts';

const payload = `{"name":"Ann","age":30,"long":3000000000,"price":4.50,"ok":true,"k":null,"items":[{"n":1,"t":"a"},{"n":2,"t":"b"},{"n":3,"t":"c"}],"list":[1,2,3,4,5],"o":{"a-b":"dash","size":7,"x":{"y":[10,20]}},"text":"it's","json":"{\\"q\\":1}","empty":"","deep":[[1,2],[3]]}`;

/** A message with something at every root. */
export const synapseMessage: TestMessage = {
  json: payload,
  properties: {
    'default:p': 'value',
    'default:number': '007',
    'default:flag': 'true',
    'default:half': '1.0',
    'default:double': '1d',
    'default:big': '4294967296',
    'default:uri.var.id': '12',
    'default:query.param.q': 'hello world',
    'axis2:HTTP_SC': 200,
    'axis2:name': 'axis',
  },
  headers: { 'content-type': 'application/json', num: '42', h: 'head', two: '2' },
  variables: {
    v: 'hello',
    n: 5,
    d: 2.5,
    i: 1,
    b: true,
    nothing: null,
    obj: new Map<string, unknown>([['a', new Map<string, unknown>([['b', [1, 2, 3]]])]]),
    arr: ['x', 'y'],
    text: '{"in":{"side":[7,8]}}',
    xml: parseXml('<r xmlns:q="u"><a>1</a><a>2</a><b c="d">t</b></r>').root,
    result: new Map<string, unknown>([
      ['payload', '{"id":9}'],
      ['attributes', new Map([['statusCode', 201]])],
      ['headers', new Map([['X-Y', 'z']])],
      ['xml', parseXml('<r><a>5</a></r>').root],
    ]),
    key: 'name',
    quoted: '"quoted"',
  },
  templateParameters: { fp: 'param' },
  configurations: { host: 'localhost', port: '8080' },
  resources: { 'gov:/text': 'content', 'gov:/json': '{"a":[1,{"b":"deep"}]}', 'gov:/json@owner': 'me' },
  secrets: { alias: 'hidden' },
};
