/** The nonce for style elements, as required by the content security policy. The daemon creates one per page load. */
export function readStyleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
}
