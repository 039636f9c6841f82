import type { evaluateXPath, registerCustomXPathFunction } from 'fontoxpath';

/** What is used of the XPath and XQuery engine. */
interface Engine {
  readonly evaluateXPath: typeof evaluateXPath;
  readonly registerCustomXPathFunction: typeof registerCustomXPathFunction;
}

/** The engine, loaded with the first call. */
declare function loadEngine(): Engine;
export = loadEngine;
