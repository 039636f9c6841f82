/**
 * What surrounds the XSLT engine inside of its own context: the few modules that it asks for, none of which reaches a
 * file or the network, and the calls that Millrace makes. Only texts cross the border, so that nothing of the host's
 * own realm is within reach of a stylesheet.
 *
 * The value of the program is a function of the engine's loader; it gives `{ define, run, release }`:
 * - `define(id, form, text, modules)` keeps a stylesheet; `form` is `source` or `compiled`, `modules` the JSON of its
 *   imported modules by location;
 * - `run(id, source, parameters, method)` transforms the text of a document; the answer is `+` and the result, or `!` and
 *   the JSON of what failed;
 * - `release(id)` forgets a stylesheet.
 */
export const sandboxProgram = String.raw`(() => {
  'use strict';
  const refuse = (what) => {
    throw new Error(what + ' is not allowed: a stylesheet reads nothing but its source');
  };

  const parts = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/s;
  const withoutDots = (path) => {
    const kept = [];
    const segments = path.split('/');
    segments.forEach((segment, index) => {
      const last = index === segments.length - 1;
      if (segment === '..') {
        if (kept.length > 1) kept.pop();
        if (last) kept.push('');
      } else if (segment !== '.') kept.push(segment);
      else if (last) kept.push('');
    });
    return kept.join('/');
  };
  /* References are resolved as RFC 3986, section 5.2, says; nothing else of a URL is needed here. */
  class URL {
    constructor(reference, base) {
      let [, scheme, authority, path = '', query = '', hash = ''] = parts.exec(String(reference).trim());
      if (scheme === undefined) {
        if (base === undefined || base === null) throw new TypeError('Invalid URL');
        const [, baseScheme, baseAuthority, basePath = '', baseQuery = ''] = parts.exec(String(base));
        if (baseScheme === undefined) throw new TypeError('Invalid URL');
        scheme = baseScheme;
        if (authority === undefined) {
          authority = baseAuthority;
          if (path === '') {
            path = basePath;
            query = query === '' ? baseQuery : query;
          } else if (!path.startsWith('/')) path = basePath.slice(0, basePath.lastIndexOf('/') + 1) + path;
        }
      }
      this.protocol = scheme.toLowerCase() + ':';
      this.host = authority ?? '';
      this.pathname = path.startsWith('/') ? withoutDots(path) : path;
      this.search = query;
      this.hash = hash;
    }
    get href() {
      const authority = this.host === '' && this.protocol !== 'file:' ? '' : '//' + this.host;
      return this.protocol + authority + this.pathname + this.search + this.hash;
    }
    get origin() {
      return 'null';
    }
    toString() {
      return this.href;
    }
    toJSON() {
      return this.href;
    }
  }

  class TextEncoder {
    encode(text) {
      const escaped = encodeURIComponent(text);
      const bytes = [];
      for (let index = 0; index < escaped.length; index++) {
        if (escaped[index] === '%') {
          bytes.push(Number.parseInt(escaped.slice(index + 1, index + 3), 16));
          index += 2;
        } else bytes.push(escaped.charCodeAt(index));
      }
      return Uint8Array.from(bytes);
    }
  }
  class TextDecoder {
    decode(bytes) {
      let escaped = '';
      for (const byte of bytes ?? []) escaped += '%' + byte.toString(16).padStart(2, '0');
      return decodeURIComponent(escaped);
    }
  }
  class Stream {}
  Stream.prototype.pipe = () => refuse('A stream');
  const quiet = { write: () => true };
  const modules = {
    path: { resolve: () => '/', join: (...names) => names.join('/'), sep: '/' },
    url: { URL, fileURLToPath: (location) => new URL(location).pathname },
    fs: new Proxy({}, { get: () => () => refuse('A file') }),
    axios: new Proxy(() => refuse('The network'), { get: () => () => refuse('The network') }),
    util: { TextEncoder, TextDecoder },
    stream: { Stream },
  };
  globalThis.process = { stdout: quiet, stderr: quiet, env: {}, argv: [], cwd: () => '/', version: '' };
  globalThis.console = { log() {}, error() {}, warn() {}, info() {} };
  globalThis.URL = URL;
  globalThis.Buffer = { from: (text) => new TextEncoder().encode(text), isEncoding: () => true, isBuffer: () => false };
  globalThis.global = globalThis;

  return (load) => {
    const module = { exports: {} };
    load(module, module.exports, (name) => modules[name] ?? refuse('The module ' + name));
    const engine = module.exports;
    const platform = engine.getPlatform();
    const stylesheets = new Map();
    let current = new Map();
    let refusal;
    const read = (location) => {
      const text = current.get(String(location).replace(/^.*\//, ''));
      if (text !== undefined) return text;
      refusal = 'Reading ' + location + ' is not allowed: a stylesheet reads nothing but its source';
      throw new Error(refusal);
    };
    platform.readFile = read;
    for (const name of ['writeFileSync', 'writeFileAsync', 'makeHttpRequest']) platform[name] = () => refuse(name);
    platform.resourcePromise = () => refuse('The network');
    platform.globalObject = Object.create(null);
    engine.setLogLevel?.(0);

    const transformSource = (stylesheet, source, parameters, method) => {
      const names = Object.keys(parameters);
      const variables = { mrText: stylesheet.text, mrSource: source, mrMethod: method };
      const entries = names.map((name, index) => {
        variables['mrName' + index] = name;
        variables['mrValue' + index] = parameters[name];
        return "QName('', $mrName" + index + '): xs:untypedAtomic($mrValue' + index + ')';
      });
      const query =
        "transform(map { 'stylesheet-text': $mrText, 'stylesheet-base-uri': 'file:///millrace/main.xsl', " +
        "'source-node': parse-xml($mrSource), 'delivery-format': 'serialized', 'serialization-params': " +
        "map { 'method': $mrMethod, 'omit-xml-declaration': true() }, 'stylesheet-params': map { " +
        entries.join(', ') + ' } })?output';
      return engine.XPath.evaluate(query, null, { params: variables });
    };
    const transformCompiled = (stylesheet, source, parameters, method) => {
      const untyped = (text) => engine.atom(text, 'untypedAtomic');
      return engine.transform(
        {
          stylesheetInternal: stylesheet.compiled,
          stylesheetBaseURI: 'file:///millrace/main.xsl',
          sourceText: source,
          destination: 'serialized',
          stylesheetParams: Object.fromEntries(Object.entries(parameters).map(([name, text]) => [name, untyped(text)])),
          outputProperties: { method, 'omit-xml-declaration': true },
        },
        'sync',
      ).principalResult;
    };

    return {
      define(id, form, text, imported) {
        const known = new Map(Object.entries(JSON.parse(imported)));
        if (!known.has('main.xsl')) known.set('main.xsl', text);
        stylesheets.set(id, { text, compiled: form === 'compiled' ? JSON.parse(text) : undefined, known });
      },
      run(id, source, parametersText, method) {
        const stylesheet = stylesheets.get(id);
        current = stylesheet.known;
        refusal = undefined;
        const parameters = JSON.parse(parametersText);
        try {
          const transform = stylesheet.compiled ? transformCompiled : transformSource;
          return '+' + String(transform(stylesheet, source, parameters, method) ?? '');
        } catch (error) {
          const { message, code, xsltLineNr, xsltModule } = error ?? {};
          return (
            '!' +
            JSON.stringify({
              message: refusal ?? String(message ?? error),
              code: code === undefined ? undefined : String(code),
              line: xsltLineNr === undefined ? undefined : Number(xsltLineNr),
              module: xsltModule === undefined ? undefined : String(xsltModule),
            })
          );
        }
      },
      release(id) {
        stylesheets.delete(id);
      },
    };
  };
})()`;
