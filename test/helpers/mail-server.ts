import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { createTempDir } from './temp-dir.ts';

/** A mail that the server took. */
interface TakenMail {
  from: string;
  to: string[];
  /** The whole mail with its headers, as it was transferred. */
  source: string;
  /** Was the connection encrypted? */
  secure: boolean;
  user: string | undefined;
}

export interface MailServer {
  port: number;
  taken: TakenMail[];
  /** File with the certificate, for `NODE_EXTRA_CA_CERTS`. */
  certificate: string;
  close(): Promise<void>;
}

/** A real SMTP server. With `password`, it wants STARTTLS and the user `dockbell`. */
export async function startMailServer(options: { password?: string } = {}): Promise<MailServer> {
  const { password } = options;
  const taken: TakenMail[] = [];
  const tls = createCertificate();
  const server = new SMTPServer({
    key: readFileSync(tls.key),
    cert: readFileSync(tls.certificate),
    authOptional: password === undefined,
    onAuth: (auth, _session, done) => {
      const isRight = auth.username === 'dockbell' && auth.password === password;
      if (isRight) done(null, { user: 'dockbell' });
      else done(Object.assign(new Error(`${auth.password} is wrong`), { responseCode: 535 }));
    },
    onRcptTo: (address, _session, done) =>
      done(
        address.address.startsWith('nobody@') ? Object.assign(new Error('no such user'), { responseCode: 550 }) : null,
      ),
    onData: (stream, { envelope, secure, user }, done) => {
      void text(stream).then((source) => {
        const to = envelope.rcptTo.map(({ address }) => address);
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        taken.push({ from, to, source, secure, user: user as string | undefined });
        done();
      });
    },
  });
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    taken,
    certificate: tls.certificate,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** A self-signed certificate for localhost. */
function createCertificate(): { key: string; certificate: string } {
  const folder = createTempDir('mail');
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const options = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', ...options, '-keyout', key, '-out', certificate, ...subject], { stdio: 'ignore' });
  return { key, certificate };
}
