import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { FIELDS } from '../../src/client/fields.ts';
import { type CliSurroundings, runCli } from '../helpers/run-cli.ts';
import {
  createSeededServer,
  createSeededServices,
  DELIVERY_ID,
  RECONCILIATION_ID,
  RUN_ID,
  type SeededServices,
} from '../helpers/seeded-services.ts';

let services: SeededServices;
let app: ReturnType<typeof createSeededServer>;
let env: Record<string, string>;

beforeAll(async () => {
  services = createSeededServices();
  app = createSeededServer(services);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  env = { DOCKBELL_URL: url, DOCKBELL_TOKEN: services.grant('owner'), DOCKBELL_FACTORY: 'payments' };
});

afterAll(() => app.close());

function run(line: string, more: CliSurroundings = {}) {
  return runCli(line.split(' '), { env, clock: services.clock, ...more });
}

/** Every command that lists or shows, and a field that its rows have. */
const COMMANDS: [line: string, field: string][] = [
  ['status', 'applied_revision'],
  ['factory list', 'applied_revision'],
  ['webhook list', 'uid'],
  ['webhook show internal-ci', 'uid'],
  ['automation list', 'enabled'],
  ['automation show fix-errors', 'enabled'],
  ['delivery list', 'label'],
  ['delivery list internal-ci', 'label'],
  [`delivery show ${DELIVERY_ID}`, 'label'],
  ['run list', 'state'],
  [`run show ${RUN_ID}`, 'state'],
  ['reconciliation list', 'result'],
  [`reconciliation show ${RECONCILIATION_ID}`, 'result'],
  ['pull-request list', 'state'],
  ['scheme list', 'title'],
  ['secret list', 'version'],
  ['token list', 'role'],
  ['user list', 'role'],
  ['session list', 'client_address'],
  ['activity', 'runs'],
  ['audit list', 'action'],
];

/** The rows of a list, or the one object of a show. */
function rowsOf(answer: { data?: Record<string, unknown>[] }): Record<string, unknown>[] {
  return answer.data ?? [answer as Record<string, unknown>];
}

describe.each(COMMANDS)('dockbell %s', (line, field) => {
  it('prints the same as YAML as with --json, and -o json prints the same bytes', async () => {
    const json = await run(`${line} --json`);
    const [yaml, output] = [await run(`${line} -o yaml`), await run(`${line} -o json`)];
    expect(parse(yaml.stdout)).toEqual(JSON.parse(json.stdout));
    expect(output.stdout).toBe(json.stdout);
    expect([json.stderr, yaml.stderr, output.stderr]).toEqual(['', '', '']);
    expect([yaml.code, output.code]).toEqual([json.code, json.code]);
  });

  it('prints one name on each line and nothing else with --quiet', async () => {
    const rows = rowsOf(JSON.parse((await run(`${line} --json`)).stdout));
    const { stdout, stderr } = await run(`${line} -q`);
    const names = stdout.split('\n').slice(0, -1);
    expect(names).toHaveLength(rows.length);
    for (const [index, name] of names.entries()) expect(Object.values(rows[index]!).map(String)).toContain(name);
    expect(stderr).toBe('');
    expect((await run(`${line} -o name`)).stdout).toBe(stdout);
  });

  it('keeps only the chosen field of each row', async () => {
    const all = JSON.parse((await run(`${line} --json`)).stdout);
    const chosen = JSON.parse((await run(`${line} --json --fields ${field}`)).stdout);
    expect(rowsOf(chosen)).toEqual(rowsOf(all).map((row) => ({ [field]: row[field] })));
    expect(chosen.next_cursor).toEqual(all.next_cursor);
  });

  it('has every field that it offers, and offers every field that it has', async () => {
    const rows = rowsOf(JSON.parse((await run(`${line} --json`)).stdout));
    const offered = (await run(`${line} --fields nope`)).stderr.match(/The fields are (.*)\.\n/)![1]!.split(', ');
    for (const row of rows) expect(offered).toEqual(expect.arrayContaining(Object.keys(row)));
    expect(Object.values(FIELDS)).toContainEqual(offered);
  });
});

describe('--fields', () => {
  it('makes the columns of the table, in the order of the option', async () => {
    const { stdout } = await run('run list --fields state,id,exit_code');
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      'STATE    ID                              EXIT_CODE',
      `running  ${RUN_ID}  -`,
    ]);
  });

  it('prints the fields of one object below each other', async () => {
    const { stdout } = await run(`run show ${RUN_ID} --fields state,exit_code`);
    expect(stdout).toBe('state:     running\nexit_code: -\n');
  });

  it('never cuts a value on a narrow terminal', async () => {
    const { stdout } = await run('run list --fields id,delivery,revision', { columns: 60 });
    const [row] = JSON.parse((await run('run list --json')).stdout).data;
    expect(stdout).toContain(`${row.id}\n  delivery: ${row.delivery}\n  revision: ${row.revision}\n`);
  });

  it('takes fields of objects within, and keeps their place in JSON', async () => {
    const { stdout } = await run('status --json --fields source.type,name,source.branch');
    const whole = JSON.parse((await run('status --json')).stdout);
    const { type, branch } = rowsOf(whole)[0]!.source as Record<string, unknown>;
    expect(rowsOf(JSON.parse(stdout))[0]).toEqual({ source: { type, branch }, name: 'payments' });
  });

  it('prints a header without rows if nothing matches', async () => {
    expect((await run('run list --state cancelled --fields id,state')).stdout).toBe('ID  STATE\n');
    expect((await run('run list --state cancelled -q')).stdout).toBe('');
    expect(parse((await run('run list --state cancelled -o yaml')).stdout)).toEqual({ data: [], next_cursor: null });
  });

  it.each([
    ['run list --fields id,startedAt', 'Did you mean started_at?'],
    ['run list --fields id,', "There is no field ''."],
    ['run list --fields waiting.why', "There is no field 'waiting.why'."],
    ['run list --fields constructor', "There is no field 'constructor'."],
    ['run list -q --fields id', 'cannot be used with'],
    ['run list --json -o yaml', 'cannot be used with'],
    ['run list -o name --fields id', '-o name prints no other fields'],
    [`delivery show ${DELIVERY_ID} --explain --fields id`, 'cannot be used with'],
    [`delivery show ${DELIVERY_ID} --payload -q`, 'cannot be used with'],
  ])('rejects %s', async (line, message) => {
    const { code, stdout, stderr } = await run(line);
    const text = stderr.startsWith('{') ? (JSON.parse(stderr).error.message as string) : stderr;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(text).toContain(message);
  });
});

describe('errors', () => {
  it.each(['--json', '-o json', '-ojson', '--output json', '--output=json', '-o yaml', '--output=yaml'])(
    'are one object on standard error with %s',
    async (option) => {
      const { code, stdout, stderr } = await run(`run show nothing ${option}`);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(parse(stderr)).toMatchObject({ error: { code: 'not_found', message: "There is no run 'nothing'." } });
      expect(stderr.trimEnd()).not.toContain('\n');
    },
  );

  it.each(['-q', '-o name', '-o table', '--fields id'])('are a sentence with %s', async (option) => {
    const { code, stdout, stderr } = await run(`run show nothing ${option}`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^There is no run 'nothing'\.\n/);
  });
});

describe('followed deliveries', () => {
  it.each([
    ['-q', new RegExp(`^${DELIVERY_ID}$`, 'm')],
    ['--fields label,id', new RegExp(`^Accepted {2}${DELIVERY_ID}$`, 'm')],
    ['--json --fields id', new RegExp(`^\\{"id":"${DELIVERY_ID}"\\}$`, 'm')],
    ['-o yaml --fields id', new RegExp(`^---\\nid: ${DELIVERY_ID}$`, 'm')],
  ])('are printed in the format of %s', async (options, expected) => {
    const { stdout } = await run(`delivery list --follow ${options}`, { interrupt: AbortSignal.abort() });
    expect(stdout).toMatch(expected);
  });
});

describe('on a terminal', () => {
  it.each(['--json', '-o yaml'])('%s writes no control character, and keeps the values', async (option) => {
    const line = `delivery show ${DELIVERY_ID} ${option}`;
    const [piped, shown] = [await run(line), await run(line, { columns: 80 })];
    expect(shown.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(parse(shown.stdout)).toEqual(parse(piped.stdout));
  });
});
