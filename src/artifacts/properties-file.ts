/** Lines of a Java properties file, comments left out. */
export function propertiesOf(text: string): Map<string, string> {
  const properties = new Map<string, string>();
  for (const line of text.split(/\r\n|\n|\r/)) {
    const match = /^\s*([^#!=:\s][^=:\s]*)\s*[=:]?\s*(.*)$/.exec(line);
    if (match?.[1] !== undefined) properties.set(match[1], match[2] ?? '');
  }
  return properties;
}
