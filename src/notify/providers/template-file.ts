import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Problem } from '#errors';
import { deepText, parseXml, SourceNode, XmlError } from '#xml';
import { shippedTemplates, shippedTemplatesFile } from './shipped-templates.ts';
import { readTemplate, type ProviderTemplate } from './template.ts';

/** The file of the body templates, in the configuration folder of a home. */
export function templateFileOf(conf: string): string {
  return join(conf, 'sms/sms-providers-api-body-templates.xml');
}

/** Templates by the provider's name in lower case. */
export interface TemplateSet {
  readonly templates: ReadonlyMap<string, ProviderTemplate>;
  readonly problems: readonly Problem[];
}

/** Gives a home that has no folder for SMS the shipped file. */
export function shipTemplates(file: string): void {
  if (existsSync(dirname(file))) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, shippedTemplatesFile);
}

/**
 * Reads the templates; without a file there are none. Templates of known providers that are no JSON are put right;
 * where that fails the shipped one stands in.
 */
export function readTemplates(file: string): TemplateSet {
  if (!existsSync(file))
    return {
      templates: new Map(),
      problems: [problemAt(file, 'There are no templates of SMS providers: the file is missing')],
    };
  return parseTemplates(readFileSync(file, 'utf8'), file);
}

/** Reads the text of a templates file. */
export function parseTemplates(text: string, file: string): TemplateSet {
  const templates = new Map<string, ProviderTemplate>();
  const problems: Problem[] = [];
  try {
    const document = parseXml(text, { file, positions: true });
    const root = new SourceNode(document, document.root, (problem) => problems.push(problem));
    if (root.local !== 'configurations') root.error(`Expected <configurations>, found <${root.local}>`, { code });
    for (const node of root.childrenNamed('configuration')) addTemplate(node, templates);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    const { message, position, excerpt } = error;
    problems.push({ code, severity: 'error', message, position, excerpt });
  }
  return { templates, problems };
}

const code = 'MR_SMS_TEMPLATE';
const shippedNames = new Map(Object.keys(shippedTemplates).map((name) => [name.toLowerCase(), name]));

function addTemplate(node: SourceNode, templates: Map<string, ProviderTemplate>): void {
  const provider = node.required('provider');
  const key = provider.toLowerCase();
  const body = node.child('body');
  const source = body ? deepText(body.element) : '';
  if (templates.has(key)) {
    node.warn(`There is a template for "${provider}" already; this one is left out`, { attribute: 'provider', code });
    return;
  }
  const template = readTemplate(provider, source);
  if (template) {
    templates.set(key, template);
    if (template.isRepaired)
      node.warn(`The template for "${provider}" is no JSON; it is read as ${template.forms.JSON}`, { code });
    return;
  }
  const name = shippedNames.get(key);
  const shipped = name === undefined ? undefined : readTemplate(provider, shippedTemplates[name] ?? '');
  if (shipped) {
    templates.set(key, { ...shipped, isRepaired: true });
    node.warn(`The template for "${provider}" cannot be read; the shipped one stands in`, { code });
  } else
    node.error(`The template for "${provider}" is neither JSON nor pairs NAME=VALUE separated by commas`, { code });
}

function problemAt(file: string, message: string): Problem {
  return { code, severity: 'warning', message, position: { file, line: 1, column: 1 } };
}
