import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileMapping, type MappingType } from '../publishers/mapping.ts';
import type { AttributeValue } from '../stream-event.ts';
import { shippedTemplates, shippedTemplatesFile } from './shipped-templates.ts';
import { parseTemplates } from './template-file.ts';
import { bodyReferences, fillTemplate, readTemplate } from './template.ts';

function render(type: MappingType, inline: string, values: Readonly<Record<string, AttributeValue>>): string {
  return compileMapping({ type, inline })({ stream: 's:1', at: 0, values: new Map(Object.entries(values)) });
}

const nasty = 'a "quoted" \\ line\nand {{more}} $sender, é 😀';

describe('values in a template', () => {
  const values = new Map([
    ['sender', 'Acme "Ltd"'],
    ['body.scope', 'x","admin":"y'],
    ['body.count', '60'],
    ['body.a', 'short'],
    ['body.ab', 'long'],
  ]);
  const rows: readonly (readonly [string, string])[] = [
    ['{"from": "$sender"}', '{"from": "Acme \\"Ltd\\""}'],
    ['{"scope": "$body.scope"}', '{"scope": "x\\",\\"admin\\":\\"y"}'],
    ['{"scope": $body.scope}', '{"scope": "x\\",\\"admin\\":\\"y"}'],
    ['{"ttl": $body.count}', '{"ttl": 60}'],
    ['{"both": "$body.ab/$body.a"}', '{"both": "long/short"}'],
    ['{"price": "5$", "text": {{body}}}', '{"price": "5$", "text": {{body}}}'],
    ['{"key": "$key"}', '{"key": ""}'],
  ];
  for (const [template, filled] of rows) {
    it(template, () => assert.equal(fillTemplate(template, 'JSON', values), filled));
  }
  it('are percent-encoded in pairs', () => {
    assert.equal(fillTemplate('From=$sender,To={{mobile}}', 'FORM', values), 'From=Acme%20%22Ltd%22,To={{mobile}}');
  });
  it('that a template wants are known by name', () => {
    assert.deepEqual(bodyReferences('{"a": "$body.scope", "b": $body.ttl, "c": "$sender", "d": {{body}}}'), [
      'body.scope',
      'body.ttl',
    ]);
  });
});

describe('templates that are no JSON', () => {
  const rows: readonly (readonly [string, string])[] = [
    [
      '{"from" = "NEXMO", "text" = {{body}}, "to" = {{mobile}}, "api_key" = "$key", "api_secret" = $secret}',
      '{"from": "NEXMO", "text": {{body}}, "to": {{mobile}}, "api_key": "$key", "api_secret": "$secret"}',
    ],
    ['{\n from=$sender\n text={{body}},\n}', '{"from": "$sender", "text": {{body}}}'],
    ['{"from": "$sender", "api_key"="$key",}', '{"from": "$sender", "api_key": "$key"}'],
  ];
  for (const [source, repaired] of rows) {
    it(source, () => {
      const template = readTemplate('Vonage', source);
      assert.equal(template?.forms.JSON, repaired);
      assert.equal(template?.isRepaired, true);
    });
  }
  it('stay out when nothing can be made of them, unless the provider is known', () => {
    const file = (name: string): string =>
      `<configurations><configuration provider="${name}"><body>please {{body}}</body></configuration></configurations>`;
    const unknown = parseTemplates(file('Mine'), 'templates.xml');
    assert.equal(unknown.templates.size, 0);
    assert.equal(unknown.problems[0]?.severity, 'error');
    assert.match(`${unknown.problems[0]?.position?.line}`, /^1$/);
    const known = parseTemplates(file('plivo'), 'templates.xml');
    assert.equal(known.templates.get('plivo')?.forms.JSON, shippedTemplates['Plivo']);
    assert.equal(known.problems[0]?.severity, 'warning');
  });
});

describe('shipped templates', () => {
  it('are read from the shipped file as they are', () => {
    const { templates, problems } = parseTemplates(shippedTemplatesFile, 'templates.xml');
    assert.deepEqual(problems, []);
    assert.deepEqual(
      [...templates.keys()],
      Object.keys(shippedTemplates).map((name) => name.toLowerCase()),
    );
    assert.ok([...templates.values()].every(({ isRepaired }) => !isRepaired));
  });
  for (const [name, source] of Object.entries(shippedTemplates)) {
    it(`${name} carries any text`, () => {
      const template = readTemplate(name, source);
      const type = template?.natural ?? 'JSON';
      const filled = fillTemplate(
        template?.forms[type] ?? '',
        type,
        new Map([
          ['sender', nasty],
          ['key', 'k'],
          ['secret', 's'],
        ]),
      );
      const sent = render(type === 'FORM' ? 'form' : 'json', filled, {
        mobile: '+44 1',
        body: nasty,
        more: 'and more',
      });
      const shown = type === 'FORM' ? [...new URLSearchParams(sent).values()] : JSON.stringify(JSON.parse(sent));
      assert.ok(shown.includes(type === 'FORM' ? nasty : JSON.stringify(nasty).slice(1, -1)));
      assert.ok(shown.includes('+44 1'));
    });
  }
  it('can be asked for in the other form where they have no levels', () => {
    assert.equal(
      readTemplate('Twilio', shippedTemplates['Twilio'] ?? '')?.forms.JSON,
      '{"Body": {{body}}, "To": {{mobile}}, "From": "$sender"}',
    );
    assert.equal(
      readTemplate('Plivo', shippedTemplates['Plivo'] ?? '')?.forms.FORM,
      'src=$sender,dst={{mobile}},text={{body}}',
    );
    assert.equal(readTemplate('Clickatell', shippedTemplates['Clickatell'] ?? '')?.forms.FORM, undefined);
  });
});

describe('attributes of an event', () => {
  it('stand in JSON by their kind, and within a string without quotes', () => {
    assert.equal(
      render('json', '{"a": {{a}}, "b": "{{a}}!", "n": {{n}}, "t": {{t}}, "z": {{z}}}', {
        a: 'x"y',
        n: 5,
        t: true,
        z: null,
      }),
      '{"a": "x\\"y", "b": "x\\"y!", "n": 5, "t": true, "z": null}',
    );
  });
  it('must be there for JSON, and leave nothing in text and forms', () => {
    assert.throws(() => render('json', '{"a": {{a}}}', {}), { code: 'MR_NOTIFY_ATTRIBUTE' });
    assert.equal(render('text', 'a{{a}}b', {}), 'ab');
    assert.equal(render('form', 'a={{a}}, b={{b}}', { b: 'x,y&z' }), 'a=&b=x%2Cy%26z');
  });
  it('of the arbitrary group need no prefix', () => {
    assert.equal(render('text', '{{mobile}}', { arbitrary_mobile: '1' }), '1');
  });
});
