import { execFileSync } from 'node:child_process';
import { afterAll, expect, it } from 'vitest';
// @ts-expect-error: a module of the site, without types
import { renderApiPages } from '../../site/api-reference/render-api-pages.mjs';
import {
  createSeededServer,
  createSeededServices,
  DELIVERY_ID,
  RECONCILIATION_ID,
  RUN_ID,
  WEBHOOK_UID,
} from '../helpers/seeded-services.ts';

const URL_OF_DAEMON = 'http://127.0.0.1:8788';
const services = createSeededServices();
const app = createSeededServer(services);
afterAll(() => app.close());

await app.ready();
const document = app.swagger() as { paths: Record<string, object> };
const pages: { text: string }[] = renderApiPages(document);
const commands = pages.flatMap(({ text }) =>
  [...text.matchAll(/^```sh\n([\s\S]*?)\n```$/gm)].map(([, command]) => command!),
);
/** A response that does not end. */
const STREAM = '/api/v1/events';
/** The server of the test has neither a provider of identities nor files of the dashboard. */
const isMissingHere = (path: string) => path.startsWith('/assets/') || path.startsWith('/auth/oidc/');
/** A correct request for an object that does not exist in the test, or that its state does not allow. */
const CORRECT = [404, 409];

/** The path with IDs of the server of the test instead of those of the examples. */
function nameExisting(path: string): string {
  const existing = [WEBHOOK_UID, DELIVERY_ID, RUN_ID, RECONCILIATION_ID];
  const rename = (text: string, id: string) => text.replace(new RegExp(`\\b${id.split('_')[0]}_[0-9a-z]{26}`), id);
  return existing.reduce(rename, path);
}

/** The arguments of each command, as a shell passes them to curl. */
function readArguments(token: string): string[][] {
  const shell = `curl() { for argument; do printf '%s\\0' "$argument"; done; printf '\\1'; }\n${commands.join('\n')}`;
  const env = { DOCKBELL_URL: URL_OF_DAEMON, DOCKBELL_TOKEN: token };
  const printed = execFileSync('sh', ['-c', shell], { env, encoding: 'utf8' });
  return printed
    .split('\x01')
    .slice(0, -1)
    .map((one) => one.split('\0').slice(0, -1));
}

interface Sent {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers: Record<string, string>;
  payload?: string;
}

/** The request that curl sends for these arguments. */
function readRequest([...words]: string[]): Sent {
  const take = (option: string) => {
    const at = words.indexOf(option);
    return at < 0 ? undefined : words.splice(at, 2)[1];
  };
  const header = take('-H');
  const payload = take('--json');
  const method = (take('-X') ?? (payload === undefined ? 'GET' : 'POST')) as Sent['method'];
  const [, name = '', value = ''] = /^(\S+): (.*)$/.exec(header ?? '') ?? [];
  take('--output');
  const [url = '', ...others] = words.filter((word) => word !== '--no-buffer');
  expect(others, 'arguments that this test does not know').toEqual([]);
  const headers = { ...(header === undefined ? {} : { [name]: value }) };
  const body = payload === undefined ? {} : { payload, headers: { ...headers, 'content-type': 'application/json' } };
  return { method, url, headers, ...body };
}

it('the API reference has a curl command for each operation', () => {
  const operations = Object.values(document.paths).flatMap((item) => Object.keys(item));
  expect(commands).toHaveLength(operations.length);
  for (const command of commands) expect(command).not.toMatch(/undefined|[{]\w+[}]/);
});

it('the management API rejects none of these requests for its form or its credentials', async () => {
  const rejected: string[] = [];
  for (const words of readArguments(services.grant('owner'))) {
    const { url, ...request } = readRequest(words);
    const path = nameExisting(url.slice(URL_OF_DAEMON.length));
    if (path === STREAM || isMissingHere(path)) continue;
    const { statusCode, body } = await app.inject({ ...request, url: path });
    if (statusCode < 400 || CORRECT.includes(statusCode)) continue;
    rejected.push(`${statusCode} ${request.method} ${path} ${body}`);
  }
  expect(rejected).toEqual([]);
});
