/** What a person chose for this browser. */
export type Preference = 'theme' | 'density' | 'rail';

export function readPreference(name: Preference, otherwise: string): string {
  return localStorage.getItem(`millrace.${name}`) ?? otherwise;
}

export function writePreference(name: Preference, value: string): void {
  localStorage.setItem(`millrace.${name}`, value);
  applyPreferences();
}

/** Puts theme and density on the document; the system's theme counts until somebody chooses. */
export function applyPreferences(): void {
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const chosen = readPreference('theme', 'system');
  document.documentElement.dataset['theme'] = chosen === 'system' ? (isDark ? 'dark' : 'light') : chosen;
  document.documentElement.dataset['density'] = readPreference('density', 'normal');
}
