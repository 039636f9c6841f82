import { defineSection, key } from './define.ts';
import { bag, oneOf, text } from './types.ts';

/** What people who look at messages do not see. */
export const masking = defineSection({
  path: 'millrace.masking',
  repeated: true,
  doc: 'Rules for what is masked in traces, captures, narratives, replays and stored messages.',
  keys: {
    name: key('name', text(), {
      required: true,
      additional: true,
      doc: 'Name of the rule: letters, digits, `_`, `.` and `-`.',
      effect: 'stands where a value stood, as `*****[name]`.',
    }),
    kind: key('kind', oneOf('header', 'property', 'xpath', 'jsonpath', 'text'), {
      required: true,
      additional: true,
      doc: 'By what the rule finds values.',
      effect:
        'header and property = by name; xpath and jsonpath = within XML and JSON, also where these stand in texts; text = a regular expression.',
    }),
    expression: key('expression', text(), {
      required: true,
      additional: true,
      doc: 'A name in which `*` stands for anything, a path, or a regular expression of Java.',
      effect: 'what it finds is masked there, and from four characters on wherever the message has the same value.',
    }),
    namespaces: key('namespaces.<prefix>', bag(), {
      additional: true,
      doc: 'Namespaces of the prefixes in an XPath.',
      effect: 'bound when the path is compiled.',
    }),
  },
});
