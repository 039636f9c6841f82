import { readAttempt, readFlush, readSetting, readStop } from './control.ts';
import { readIf, readSwitch } from './conditions.ts';
import { readItems, readJump, readList, readSep } from './loops.ts';
import { readMacro, readNested, readReturn } from './macros.ts';
import {
  readAutoEscape,
  readCompress,
  readEscape,
  readNoEscape,
  readNoParse,
  readOutputFormat,
  readTrim,
} from './output.ts';
import { readAssignment } from './variables.ts';
import type { Element } from '../element.ts';
import type { Tag, TemplateReader } from '../reader.ts';

/** Reads the rest of a directive behind its name. */
export type DirectiveReader = (reader: TemplateReader, tag: Tag) => Element;

/** Every directive by its name; `<#else>` and its like belong to the directives that they divide. */
export const directives: ReadonlyMap<string, DirectiveReader> = new Map<string, DirectiveReader>([
  ['if', readIf],
  ['switch', readSwitch],
  ['list', readList],
  ['items', readItems],
  ['sep', readSep],
  ['break', readJump],
  ['continue', readJump],
  ['assign', readAssignment],
  ['global', readAssignment],
  ['local', readAssignment],
  ['macro', readMacro],
  ['function', readMacro],
  ['return', readReturn],
  ['nested', readNested],
  ['escape', readEscape],
  ['noescape', readNoEscape],
  ['autoesc', readAutoEscape],
  ['noautoesc', readAutoEscape],
  ['outputformat', readOutputFormat],
  ['compress', readCompress],
  ['noparse', readNoParse],
  ['t', readTrim],
  ['lt', readTrim],
  ['rt', readTrim],
  ['nt', readTrim],
  ['setting', readSetting],
  ['attempt', readAttempt],
  ['stop', readStop],
  ['flush', readFlush],
]);
