/** What `<#setting>` can change. */
export interface Settings {
  locale: string;
  number_format: string;
  boolean_format: string;
  date_format: string;
  time_format: string;
  datetime_format: string;
  time_zone: string;
  url_escaping_charset: string;
  output_encoding: string;
}

export type SettingName = keyof Settings;

/** Names of the settings, for messages. */
export const settingNames: readonly SettingName[] = [
  'boolean_format',
  'date_format',
  'datetime_format',
  'locale',
  'number_format',
  'output_encoding',
  'time_format',
  'time_zone',
  'url_escaping_charset',
];

/** The settings at the start of each run. */
export function defaultSettings(timeZone: string): Settings {
  return {
    locale: 'en_US',
    number_format: 'number',
    boolean_format: 'true,false',
    date_format: '',
    time_format: '',
    datetime_format: '',
    time_zone: timeZone,
    url_escaping_charset: 'UTF-8',
    output_encoding: 'UTF-8',
  };
}
