import { faultOf, firstChild, firstElement, ownText, serializeXml, type XmlElement } from '#xml';
import { defineFormatter } from './formatter.ts';

/** `application/xml`: the first element of the body; a fault gives its detail's first element, else the reason. */
export const xml = defineFormatter({
  name: 'xml',
  format({ payload }) {
    const fault = faultOf(payload.envelope());
    const element = fault ? plainFormOf(fault) : payload.content();
    return element && serializeXml(element);
  },
});

function plainFormOf(fault: XmlElement): XmlElement {
  const detail = firstChild(fault, 'detail') ?? firstChild(fault, 'Detail', fault.uri);
  const content = detail && firstElement(detail);
  if (content) return content;
  if (detail && ownText(detail).trim() !== '') return detail;
  return firstChild(fault, 'faultstring') ?? firstChild(fault, 'Reason', fault.uri) ?? fault;
}
