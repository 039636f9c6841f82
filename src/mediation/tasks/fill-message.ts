import { setProperty, type Message } from '#message';
import { cloneNode, parseXml, XmlElement } from '#xml';

/** Puts the content of a task into its message: XML, JSON or text. */
export function fillMessage(message: Message, content: string | XmlElement): void {
  const { payload } = message;
  const text = content instanceof XmlElement ? '' : content.trim();
  if (content instanceof XmlElement) payload.setContent([cloneNode(content)]);
  else if (text.startsWith('<')) payload.setContent([parseXml(text).root]);
  else if (/^[{[]/.test(text)) {
    payload.setJson(text);
    setProperty(message, { scope: 'axis2', name: 'messageType' }, 'application/json');
  } else if (text !== '') payload.setText(text);
}
