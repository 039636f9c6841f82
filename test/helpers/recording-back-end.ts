import { createServer, type AddressInfo, type Socket } from 'node:net';

/** A request as it arrived at a back end. */
export interface RecordedMessage {
  readonly line: string;
  /** Name and value of each field, as written. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** A back end that takes requests apart by the letter, keeps them, and says `ok` to each. */
export interface Recorder extends AsyncDisposable {
  readonly origin: string;
  readonly port: number;
  /** Complete requests, in their order. */
  readonly recorded: RecordedMessage[];
  /** Bytes that are no request. */
  readonly broken: string[];
}

const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** Starts a recording back end on a free port of the loopback interface. */
export async function startRecorder(): Promise<Recorder> {
  const recorded: RecordedMessage[] = [];
  const broken: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = '';
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      for (;;) {
        const found = takeMessage(text);
        if (found === 'part') return;
        if (found === 'broken') {
          broken.push(text);
          socket.destroy();
          return;
        }
        recorded.push(found.message);
        text = found.rest;
        socket.write(answer);
      }
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    recorded,
    broken,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

type Found = { message: RecordedMessage; rest: string } | 'part' | 'broken';

/** Takes one request off the front of a text, with one way only to say how long its body is. */
function takeMessage(text: string): Found {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return text.length > 200_000 ? 'broken' : 'part';
  const [line = '', ...lines] = text.slice(0, end).split('\r\n');
  const fields = lines
    .map((each) => /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ([^\r\n\0]*)$/.exec(each))
    .map((match) => match?.slice(1, 3));
  if (!/^[A-Z]+ [\x21-\x7e]+ HTTP\/1\.1$/.test(line) || fields.includes(undefined)) return 'broken';
  const known = fields as [string, string][];
  const valuesOf = (name: string): string[] =>
    known.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);
  const lengths = valuesOf('content-length');
  const codings = valuesOf('transfer-encoding');
  if (lengths.length + codings.length > 1 || valuesOf('host').length !== 1) return 'broken';
  const rest = text.slice(end + 4);
  const body = codings.length > 0 ? takeChunks(rest) : takeSized(rest, lengths[0] ?? '0');
  if (typeof body === 'string') return body;
  return { message: { line, fields: known, body: body.body }, rest: body.rest };
}

type Taken = { body: string; rest: string } | 'part' | 'broken';

function takeSized(text: string, length: string): Taken {
  if (!/^\d+$/.test(length)) return 'broken';
  const size = Number(length);
  return text.length < size ? 'part' : { body: text.slice(0, size), rest: text.slice(size) };
}

function takeChunks(text: string): Taken {
  let body = '';
  for (let rest = text; ;) {
    const size = /^([0-9a-f]{1,8})\r\n/.exec(rest);
    if (!size) return /^[0-9a-f]{0,8}\r?$/.test(rest) ? 'part' : 'broken';
    const from = size[0].length;
    const to = from + Number.parseInt(size[1] ?? '', 16);
    if (to === from) return takeTrailer(body, rest.slice(from));
    if (rest.length < to + 2) return 'part';
    if (rest.slice(to, to + 2) !== '\r\n') return 'broken';
    body += rest.slice(from, to);
    rest = rest.slice(to + 2);
  }
}

/** Passes over the fields behind the last chunk, of which none may speak of the message's framing or authority. */
function takeTrailer(body: string, text: string): Taken {
  for (let rest = text; ;) {
    const end = rest.indexOf('\r\n');
    if (end < 0) return 'part';
    const line = rest.slice(0, end);
    rest = rest.slice(end + 2);
    if (line === '') return { body, rest };
    if (!/^(?!content-length:|transfer-encoding:|host:)[!#$%&'*+.^_`|~0-9a-z-]+: [^\r\n\0]*$/i.test(line))
      return 'broken';
  }
}
