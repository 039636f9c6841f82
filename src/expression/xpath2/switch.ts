let isAllowed = true;

/**
 * Whether expressions that XPath 1.0 does not take are tried as XPath 2.0 from now on; they are unless somebody turns
 * it off (`mediation.synapse.enable_xpath_dom_failover`).
 */
export function allowXPath2(allowed: boolean): void {
  isAllowed = allowed;
}

export function allowsXPath2(): boolean {
  return isAllowed;
}
