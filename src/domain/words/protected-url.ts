const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Can nobody on the network read what is sent to this URL? */
export function isProtectedUrl(url: string): boolean {
  return new URL(url).protocol === 'https:' || isLoopbackUrl(url);
}

/** Does the URL lead to the machine that opens it? */
export function isLoopbackUrl(url: string): boolean {
  return LOOPBACK.test(new URL(url).hostname);
}
