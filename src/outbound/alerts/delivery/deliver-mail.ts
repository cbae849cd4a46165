import { createTransport } from 'nodemailer';
import type { EmailTarget } from '../alert-target.ts';
import { describeItem, describeMessage, findAlertsUrl, type MessageContent } from './message-text.ts';

const TIMEOUT_MS = 15_000;

/** Sends a mail over SMTP in a new connection. Returns what was wrong, without the password; `null` if it was accepted. */
export async function deliverMail(
  { host, port, security, username, from, to }: EmailTarget,
  password: string | null,
  content: MessageContent,
): Promise<string | null> {
  const transport = createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(username === null || password === null ? {} : { auth: { user: username, pass: password } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const { subject, text } = composeEmail(content);
    // The same in each retry, so that mail programs show one mail.
    const messageId = `<${content.id}@${from.slice(from.lastIndexOf('@') + 1)}>`;
    const headers = { 'Auto-Submitted': 'auto-generated' };
    const { rejected } = await transport.sendMail({
      from,
      to: [...to],
      subject,
      text,
      messageId,
      headers,
      date: new Date(content.createdAt),
    });
    return rejected.length === 0 ? null : `the server rejected ${rejected.length} of ${to.length} recipients`;
  } catch (error) {
    return describeSmtp(error);
  } finally {
    transport.close();
  }
}

/** Codes only: messages of servers may repeat what was sent. */
function describeSmtp(error: unknown): string {
  const { code, responseCode } = (error ?? {}) as { code?: unknown; responseCode?: unknown };
  const status = typeof responseCode === 'number' ? ` (${responseCode})` : '';
  if (code === 'EAUTH') return `the SMTP server rejected the user name or the password${status}`;
  if (code === 'ETLS') return 'the SMTP server offers no TLS, or its certificate is not valid';
  if (code === 'EENVELOPE') return `the SMTP server rejected the sender or all recipients${status}`;
  return `the mail could not be sent: ${typeof code === 'string' ? code : 'the connection was lost'}${status}`;
}

const MAX_SUBJECT = 150;

/** Subject and plain text of a mail. */
function composeEmail(content: MessageContent): { subject: string; text: string } {
  const headline = describeMessage(content);
  const subject = `[Dockbell] ${headline}`.slice(0, MAX_SUBJECT);
  const items = content.items
    .map((item) => describeItem(item, content))
    .map(({ title, summary, details }) => [title, summary, ...details, '']);
  const url = findAlertsUrl(content);
  const link = url === null ? [] : [`Dashboard: ${url}`];
  return { subject, text: `${[headline, '', ...items.flat(), ...link].join('\n')}\n` };
}
