/** Sizes at which payloads are measured, in bytes; documents come as near to them as whole orders allow. */
export const sizes = { '0.5k': 500, '10k': 10 * 1024, '100k': 100 * 1024 } as const;
export type SizeName = keyof typeof sizes;

const soap = 'http://schemas.xmlsoap.org/soap/envelope/';

/** Orders in a SOAP 1.1 envelope; the first one is for IBM. */
export function soapOrders(bytes: number): string {
  const head = `<soap:Envelope xmlns:soap="${soap}"><soap:Body><orders>`;
  const tail = '</orders></soap:Body></soap:Envelope>';
  return head + repeated(bytes - head.length - tail.length, xmlOrder).join('') + tail;
}

/** The same orders in JSON. */
export function jsonOrders(bytes: number): string {
  return `{"orders":{"order":[${repeated(bytes - 24, jsonOrder).join(',')}]}}`;
}

function xmlOrder(index: number): string {
  return `<order id="${index}"><symbol>${symbolOf(index)}</symbol><quantity>${index * 7}</quantity><price currency="USD">${index}.25</price><note>at &lt; market &amp; open</note></order>`;
}

function jsonOrder(index: number): string {
  return `{"id":${index},"symbol":"${symbolOf(index)}","quantity":${index * 7},"price":{"currency":"USD","value":${index}.25},"note":"at \\"market\\" open"}`;
}

function symbolOf(index: number): string {
  return index === 1 ? 'IBM' : `SYM${index % 10}`;
}

/** Items until they fill the bytes, one at least. */
function repeated(bytes: number, make: (index: number) => string): string[] {
  const items = [make(1)];
  for (let left = bytes - (items[0]?.length ?? 0); ;) {
    const item = make(items.length + 1);
    left -= item.length + 1;
    if (left < 0) return items;
    items.push(item);
  }
}
