import { excerptOf, nearestName, type Position, type Problem } from '#errors';
import { positionOfAttribute, positionOfElement } from './parse.ts';
import { readsOf, takeReads, type ElementReads } from './source-reads.ts';
import {
  childElements,
  getAttribute,
  namespacesInScope,
  ownText,
  type XmlDocument,
  type XmlElement,
  type XmlNode,
} from './tree.ts';

/** Where problems go while a document is read. */
export type Report = (problem: Problem) => void;

export interface ProblemOptions {
  /** Points at this attribute instead of the element. */
  readonly attribute?: string;
  readonly code?: string;
  readonly hint?: string;
}

/**
 * An element of an artifact file while it is being read: typed access to its attributes and children. What is wrong
 * is reported with its place and reading goes on, so that one pass finds everything. What was asked for is remembered:
 * `warnUnread` names the rest.
 */
export class SourceNode {
  readonly element: XmlElement;
  readonly document: XmlDocument;
  readonly report: Report;

  constructor(document: XmlDocument, element: XmlElement, report: Report) {
    this.document = document;
    this.element = element;
    this.report = report;
  }

  get local(): string {
    return this.element.local;
  }

  /** The value of an attribute; undefined when it is absent or empty. */
  attribute(name: string): string | undefined {
    const value = this.rawAttribute(name);
    return value === '' ? undefined : value;
  }

  /** The value of an attribute as written, the empty text included. */
  rawAttribute(name: string): string | undefined {
    this.#reads.attributes.add(name);
    return getAttribute(this.element, name);
  }

  /** The value of an attribute that must be there; reports its absence and gives an empty text. */
  required(name: string): string {
    const value = this.attribute(name);
    if (value === undefined)
      this.error(`<${this.local}> needs the attribute "${name}"`, { code: 'MR_ARTIFACT_ATTRIBUTE' });
    return value ?? '';
  }

  /** `true` or `false`, any case; anything else means false, as it does in the original, and is warned about. */
  flag(name: string, fallback: boolean): boolean {
    const value = this.#truth(name);
    if (typeof value !== 'string') return value ?? fallback;
    this.warn(`"${name}" must be true or false; "${value}" means false`, { attribute: name });
    return false;
  }

  /** The same where the original refuses anything else. */
  strictFlag(name: string, fallback: boolean): boolean {
    const value = this.#truth(name);
    if (typeof value !== 'string') return value ?? fallback;
    this.error(`"${name}" must be true or false, found "${value}"`, { attribute: name });
    return fallback;
  }

  /** The meaning of an attribute, or the text that has none. */
  #truth(name: string): boolean | string | undefined {
    const value = this.attribute(name)?.trim().toLowerCase();
    return value === 'true' ? true : value === 'false' ? false : value;
  }

  /** A whole number of at least `least`; reports anything else. */
  integer(name: string, least: number): number | undefined {
    const value = this.attribute(name)?.trim();
    if (value === undefined) return undefined;
    if (/^-?\d+$/.test(value) && Number(value) >= least) return Number(value);
    this.error(`"${name}" must be a whole number of at least ${least}, found "${value}"`, { attribute: name });
    return undefined;
  }

  /** One of a set of words; reports anything else. */
  choice<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    const value = this.attribute(name);
    if (value === undefined) return fallback;
    const known = allowed.find((word) => word === value);
    if (known !== undefined) return known;
    const near = nearestName(value, allowed);
    this.error(`"${name}" must be one of ${allowed.join(', ')}; found "${value}"`, {
      attribute: name,
      ...(near === undefined ? {} : { hint: `did you mean "${near}"?` }),
    });
    return fallback;
  }

  /** Warns about attributes that nobody reads here; needed only where some are read in some cases. */
  knowOnly(names: readonly string[]): void {
    this.#reads.knowsAttributes = true;
    this.#warnOfAttributes(names);
  }

  #warnOfAttributes(names: readonly string[]): void {
    for (const attribute of this.element.attributes) {
      if (attribute.uri !== '' || names.includes(attribute.local)) continue;
      const near = nearestName(attribute.local, names);
      this.warn(`<${this.local}> does not know the attribute "${attribute.local}"`, {
        attribute: attribute.local,
        code: 'MR_ARTIFACT_UNKNOWN_ATTRIBUTE',
        ...(near === undefined ? {} : { hint: `did you mean "${near}"?` }),
      });
    }
  }

  /** Warns about child elements that nobody reads here; `<description>` is welcome everywhere. */
  knowOnlyChildren(names: readonly string[]): void {
    this.#reads.knowsChildren = true;
    this.#warnOfChildren(names);
  }

  #warnOfChildren(names: readonly string[]): void {
    for (const child of this.#children()) {
      if (child.local === 'description' || names.includes(child.local)) continue;
      const near = nearestName(child.local, names);
      child.warn(`<${this.local}> does not know the element <${child.local}>`, {
        code: 'MR_ARTIFACT_UNKNOWN_CHILD',
        ...(near === undefined ? {} : { hint: `did you mean <${near}>?` }),
      });
    }
  }

  /**
   * Warns about every attribute and child element, here and below, that was not asked for while this was read: of
   * elements of which anything was asked, so that payloads and other documents inside stay as they are. A
   * `description` is welcome everywhere.
   */
  warnUnread(): void {
    const reads = takeReads(this.document, this.element);
    if (reads && !reads.knowsAttributes) this.#warnOfAttributes([...reads.attributes, 'description']);
    if (reads && !reads.knowsChildren && reads.children.size > 0) this.#warnOfChildren([...reads.children]);
    for (const child of this.#children()) child.warnUnread();
  }

  children(): SourceNode[] {
    this.#reads.knowsChildren = true;
    return this.#children();
  }

  #children(): SourceNode[] {
    return childElements(this.element).map((child) => this.wrap(child));
  }

  get #reads(): ElementReads {
    return readsOf(this.document, this.element);
  }

  child(local: string): SourceNode | undefined {
    this.#reads.children.add(local);
    return this.#children().find((child) => child.local === local);
  }

  childrenNamed(local: string): SourceNode[] {
    this.#reads.children.add(local);
    return this.#children().filter((child) => child.local === local);
  }

  wrap(element: XmlElement): SourceNode {
    return new SourceNode(this.document, element, this.report);
  }

  /** Child nodes of every kind, comments included. */
  nodes(): readonly XmlNode[] {
    this.#reads.knowsChildren = true;
    return this.element.children;
  }

  /** The element's own text, trimmed. */
  text(): string {
    readsOf(this.document, this.element);
    return ownText(this.element).trim();
  }

  /** Prefixes in scope with their namespaces; expressions have no default namespace. */
  namespaces(): Map<string, string> {
    const scope = namespacesInScope(this.element);
    scope.delete('');
    return scope;
  }

  position(attribute?: string): Position {
    return attribute === undefined
      ? positionOfElement(this.document, this.element)
      : positionOfAttribute(this.document, this.element, attribute);
  }

  error(message: string, options: ProblemOptions = {}): void {
    this.#add('error', message, options);
  }

  warn(message: string, options: ProblemOptions = {}): void {
    this.#add('warning', message, options);
  }

  #add(severity: Problem['severity'], message: string, options: ProblemOptions): void {
    const position = this.position(options.attribute);
    this.report({
      code: options.code ?? 'MR_ARTIFACT_INVALID',
      severity,
      message,
      position,
      excerpt: excerptOf(this.document.source, position.line),
      ...(options.hint === undefined ? {} : { hint: options.hint }),
    });
  }
}
