const BROWSERS: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?Chrom(?:e|ium)\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
];

const SYSTEMS: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPad\b/, 'iPad'],
  [/\biPhone\b/, 'iPhone'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
];

const MAX_CHARACTERS = 60;

/** Browser and system of a user agent, for example "Firefox on Linux". Unknown user agents are shortened. */
export function describeBrowser(userAgent: string | null): string {
  if (userAgent === null || userAgent.trim() === '') return 'Unknown browser';
  const browser = find(BROWSERS, userAgent);
  const system = find(SYSTEMS, userAgent);
  if (browser === undefined) {
    return userAgent.length > MAX_CHARACTERS ? `${userAgent.slice(0, MAX_CHARACTERS)}…` : userAgent;
  }
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** User agents also name compatible browsers, so the first matching row wins. */
function find(rows: typeof BROWSERS, text: string): string | undefined {
  return rows.find(([mark]) => mark.test(text))?.[1];
}
