import type { Webhook } from '../../api/types.ts';

/** Posts a delivery as a real sender of this webhook would, signed where it has to be. */
export function buildSend({ name }: Webhook): string {
  return `dockbell send ${quoteForShell(name)} --data '{"hello":"dock"}'`;
}

/** The same with curl; `null` for a webhook whose deliveries are signed, which one line of shell cannot do. */
export function buildCurl({ auth_mode, ingress_url }: Webhook): string | null {
  if (auth_mode === 'signature') return null;
  const isToken = auth_mode === 'token';
  const url = isToken ? ingress_url : ingress_url.replace('{token}', '$SECRET');
  return [
    `curl ${isToken ? quoteForShell(url) : `"${url}"`}`,
    ...(isToken ? ['-H "Authorization: Bearer $SECRET"'] : []),
    "-H 'Content-Type: application/json'",
    `-d '{"hello":"dock"}'`,
  ].join(' \\\n  ');
}

function quoteForShell(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
