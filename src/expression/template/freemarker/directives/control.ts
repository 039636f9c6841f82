import { nearestName } from '#errors';
import { isZone } from '../date-formats.ts';
import { plainText, required, textOf } from '../convert.ts';
import { runAll, type Element } from '../element.ts';
import { TemplateFailure } from '../errors.ts';
import { snakeCase } from '../names.ts';
import { settingNames } from '../settings.ts';
import type { Cursor } from '../cursor.ts';
import type { Tag, TemplateReader } from '../reader.ts';

/** `<#setting name=value>`. */
export function readSetting(reader: TemplateReader, { start }: Tag): Element {
  const cursor: Cursor = reader.cursor;
  const nameStart = cursor.blanks().at;
  const written = snakeCase(cursor.identifier() ?? '');
  const name = settingNames.find((candidate) => candidate === written);
  if (!name) {
    const near = nearestName(written, settingNames);
    cursor.fail(`There is no setting "${written}"${near === undefined ? '' : `; did you mean "${near}"?`}`, nameStart);
  }
  cursor.expect('=');
  const value = reader.expression();
  reader.closeTag();
  return reader.element(start, {
    kind: 'silent',
    run(environment) {
      const set = required(environment, value);
      const text = typeof set === 'boolean' ? String(set) : plainText(environment, set, value);
      if (name === 'time_zone' && !isZone(text)) {
        throw new TemplateFailure('other', `There is no time zone "${text.slice(0, 60)}"`, value);
      }
      if (name === 'boolean_format' && text !== 'c' && !/^[^,]+,[^,]+$/.test(text)) {
        throw new TemplateFailure('other', 'boolean_format must be "c" or two texts with a comma between', value);
      }
      environment.settings[name] = text;
      return undefined;
    },
  });
}

/** `<#attempt>…<#recover>…`: when the first block fails its output is dropped and the second one runs. */
export function readAttempt(reader: TemplateReader, tag: Tag): Element {
  const cursor: Cursor = reader.cursor;
  reader.closeTag();
  const children = reader.content();
  const attempted = reader.block(tag.start, children);
  if (reader.divider() !== 'recover') {
    if (cursor.ended) cursor.fail('<#attempt> is not closed', tag.start);
    cursor.fail('<#attempt> needs a <#recover>');
  }
  const { start } = reader.takeDivider();
  reader.closeTag();
  const recovery = reader.content();
  const recovering = reader.block(start, recovery);
  reader.end(tag, 'recover');
  const blamed = { ...cursor.place(tag.start), source: '<#attempt>' };
  return reader.block(tag.start, [attempted, recovering], (environment) => {
    const { frame, call, error } = environment;
    try {
      const { text, signal } = environment.capture(() => runAll(children, environment));
      environment.write(text, blamed);
      return signal;
    } catch (failure) {
      // What exceeds a limit must not go on.
      if (!(failure instanceof TemplateFailure) || failure.kind === 'limit') throw failure;
      environment.frame = frame;
      environment.call = call;
      environment.error = failure.message;
      try {
        return runAll(recovery, environment);
      } finally {
        environment.error = error;
      }
    }
  });
}

/** `<#stop>` and `<#stop reason>`: the template fails. */
export function readStop(reader: TemplateReader, { start }: Tag): Element {
  const cursor: Cursor = reader.cursor;
  const hasReason = !/[>\]/]/.test(cursor.blanks().text.charAt(cursor.at));
  const reason = hasReason ? reader.expression() : undefined;
  reader.closeTag();
  const blamed = { ...cursor.place(start), source: '<#stop>' };
  return reader.element(start, {
    run(environment) {
      const text = reason ? textOf(environment, reason) : 'The template stops itself';
      throw new TemplateFailure('stop', text, blamed);
    },
  });
}

/** `<#flush>` means nothing here, since the output is sent as a whole. */
export function readFlush(reader: TemplateReader, { start }: Tag): Element {
  reader.closeTag();
  return reader.element(start, { run: () => undefined });
}
