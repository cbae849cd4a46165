import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCli } from '../helpers/run-cli.ts';
import { createSeededServer, createSeededServices, type SeededServices } from '../helpers/seeded-services.ts';

let services: SeededServices;
let app: ReturnType<typeof createSeededServer>;
let env: Record<string, string>;

beforeEach(async () => {
  services = createSeededServices();
  app = createSeededServer(services);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  env = { DOCKBELL_URL: url, DOCKBELL_TOKEN: services.grant('viewer'), NO_COLOR: '1' };
});

afterEach(() => app.close());

const list = (more: string[] = [], factory = 'payments') =>
  runCli(['pull-request', 'list', ...more, '--factory', factory], { env, clock: services.clock });

it('pull-request list prints where requests are read, each check, and what could not be posted', async () => {
  const { code, stdout, stderr } = await list();
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(
    /^Repository: team\/payments-factory \(github, branch main\)\nListed: {5}just now\n\nNUMBER {2}HEAD/,
  );
  const [, , , head, failed, waiting, ...more] = stdout.split('\n');
  expect(head).toMatch(/^NUMBER {2}HEAD +FORK {2}STATE +POSTED {2}CHECKED +TITLE +DESCRIPTION$/);
  expect(failed).toMatch(/^7 +05acf90a4e58 +yes +failure +no +just now +/);
  expect(failed).toContain('the comment is not posted (given up): it responded with 403');
  expect(waiting).toMatch(/^6 +b{12} +no +waiting +- +- +- +-$/);
  expect(more).toEqual(['']);
});

it('shows the title of anybody on one line, without control characters', async () => {
  const { stdout } = await list();
  expect(stdout).toContain('<img src=x onerror=alert(1)>\\x1b[31m\\n"quoted"');
  expect(stdout).not.toContain('\u001b');
});

it('prints above the list why the git host could not be asked', async () => {
  services.pullRequests = { ...services.pullRequests, problem: 'it responded with 401: the token is wrong' };
  expect((await list()).stdout).toMatch(/^Problem: {4}it responded with 401: the token is wrong\n\nNUMBER/m);
});

it.each([
  ['it was not listed yet', null, 'Listed:     never', 'The git host has not listed its pull requests yet.'],
  ['nothing is open', 1, 'Listed:     ', 'No open pull requests for this branch.'],
])('explains an empty list: %s', async (_why, listedAt, line, text) => {
  services.pullRequests = { ...services.pullRequests, requests: [], listedAt };
  const { stdout } = await list();
  expect(stdout).toContain(line);
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(text);
});

it('notes that older requests are not checked', async () => {
  services.pullRequests = { ...services.pullRequests, hasMore: true };
  expect((await list()).stderr).toBe('The git host has more open pull requests than the 2 that are checked.\n');
});

it('prints numbers only with --quiet', async () => {
  expect((await list(['--quiet'])).stdout).toBe('7\n6\n');
});

it('says what to add to dockbell.yaml for a factory whose requests are not checked', async () => {
  const { code, stderr } = await list([], 'other');
  expect([code, stderr]).toEqual([1, expect.stringContaining('Add pullRequests to the factory in dockbell.yaml.')]);
});
