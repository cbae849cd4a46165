/** What style elements have to carry to be let in by the page's policy; the daemon makes a new one for each load. */
export function readStyleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
}
