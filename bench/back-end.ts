// The back end of the benchmarks where nginx is not installed; slower, so figures of throughput mean less.
import { createServer } from 'node:http';
import process from 'node:process';

const small = Buffer.alloc(600, 'x');
const large = Buffer.alloc(100 * 1024, 'x');

createServer((request, response) => {
  request.resume();
  const body = request.url === '/large' ? large : small;
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length });
  response.end(body);
}).listen(Number(process.argv[2]), '127.0.0.1');
