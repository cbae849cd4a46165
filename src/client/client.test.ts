import { describe, expect, it } from 'vitest';
import { createApiClient } from './create-api-client.ts';
import { createOnce } from './create-once.ts';
import { type ListQuery, listRows } from './list-rows.ts';
import { findAnswer, RequestFailed, readAnswer, readTagged } from './read-answer.ts';

/** A client whose requests get these answers, in this order. An `Error` stands for an answer that is lost. */
function open(...answers: (Response | Error)[]) {
  const sent: Request[] = [];
  const fetch = async (request: Request) => {
    sent.push(request);
    const answer = answers.shift()!;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { api: createApiClient({ baseUrl: 'http://daemon.example', fetch }), sent };
}

const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });
const lost = (code: string) => new TypeError('fetch failed', { cause: Object.assign(new Error('lost'), { code }) });
const problem = (status: number, code: string) => json({ title: 'No', detail: 'It cannot be done.', code }, status);
const getRun = (api: ReturnType<typeof open>['api'], id = 'run_1') =>
  api.GET('/api/v1/runs/{id}', { params: { path: { id } } });

describe('readAnswer', () => {
  it('returns the data, and readTagged the ETag with it', async () => {
    expect(await readAnswer(getRun(open(json({ id: 'run_1' })).api))).toEqual({ id: 'run_1' });
    const tagged = new Response('{"id": "run_1"}', { headers: { etag: '"a"' } });
    expect(await readTagged(getRun(open(tagged).api))).toEqual({ value: { id: 'run_1' }, etag: '"a"' });
  });

  it.each([
    ['a problem', () => problem(409, 'conflict'), { status: 409, code: 'conflict', detail: 'It cannot be done.' }],
    ['an error page', () => new Response('<h1>502</h1>', { status: 502 }), { status: 502, code: 'unexpected_answer' }],
    ['a web page', () => new Response('<h1>Hello</h1>'), { status: 0, code: 'unexpected_answer' }],
    ['no answer', () => lost('ECONNREFUSED'), { status: 0, code: 'unreachable' }],
  ])('throws RequestFailed for %s', async (_, answer, expected) => {
    const error = await readAnswer(getRun(open(answer()).api)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RequestFailed);
    expect((error as RequestFailed).problem).toMatchObject(expected);
  });

  it('findAnswer returns null for 404 only', async () => {
    expect(await findAnswer(getRun(open(problem(404, 'not_found')).api))).toBeNull();
    await expect(findAnswer(getRun(open(problem(403, 'forbidden')).api))).rejects.toThrow('It cannot be done.');
  });

  it.each(['', '.', '..'])('sends no request for the ID %j, which would change the path', async (id) => {
    const { api, sent } = open(json({}));
    await expect(readAnswer(getRun(api, id))).rejects.toThrow('is not a name or an ID');
    expect(sent).toEqual([]);
  });

  it('encodes the values of a path', async () => {
    const { api, sent } = open(json({}));
    await readAnswer(getRun(api, 'a/b?c'));
    expect(sent[0]!.url).toBe('http://daemon.example/api/v1/runs/a%2Fb%3Fc');
  });
});

describe('listRows', () => {
  const readPages = (sizes: number[], seen: ListQuery[]) => async (query: ListQuery) => {
    seen.push(query);
    const data = Array.from({ length: sizes[seen.length - 1]! }, () => seen.length);
    return { data, next_cursor: seen.length < sizes.length ? `c${seen.length}` : null };
  };

  it('reads all pages', async () => {
    const seen: ListQuery[] = [];
    expect(await listRows(readPages([2, 1], seen), null)).toEqual({ data: [1, 1, 2], next_cursor: null });
    expect(seen).toEqual([{}, { cursor: 'c1' }]);
  });

  it('asks for no more rows than the limit, and returns where the list continues', async () => {
    const seen: ListQuery[] = [];
    const { data, next_cursor } = await listRows(readPages([100, 20, 5], seen), 120);
    expect([data.length, next_cursor]).toEqual([120, 'c2']);
    expect(seen).toEqual([{ limit: 100 }, { limit: 20, cursor: 'c1' }]);
  });
});

describe('createOnce', () => {
  const create = async (...answers: (Response | Error)[]) => {
    const { api, sent } = open(...answers);
    const pauses: number[] = [];
    const outcome = await createOnce((headers) => api.POST('/api/v1/login-links', { headers }), {
      newKey: () => 'key',
      sleep: async (ms) => void pauses.push(ms),
    }).catch((error: unknown) => (error as RequestFailed).problem.code);
    return { outcome, pauses, keys: sent.map((request) => request.headers.get('idempotency-key')) };
  };

  it('repeats a request whose answer was lost, with the same key', async () => {
    const repeated = await create(lost('ECONNRESET'), problem(409, 'idempotency_key_in_use'), json({ url: 'u' }));
    expect(repeated).toEqual({ outcome: { url: 'u' }, pauses: [500, 1000], keys: ['key', 'key', 'key'] });
  });

  it('waits for a daemon that restarts, but not for one that never answered', async () => {
    expect((await create(lost('EPIPE'), lost('ECONNREFUSED'), json({ url: 'u' }))).outcome).toEqual({ url: 'u' });
    expect(await create(lost('ECONNREFUSED'))).toMatchObject({ outcome: 'unreachable', pauses: [] });
  });

  it('does not repeat a rejected request, and gives up after four repetitions', async () => {
    expect(await create(problem(403, 'forbidden'))).toMatchObject({ outcome: 'forbidden', pauses: [] });
    const answers = Array.from({ length: 5 }, () => lost('ECONNRESET'));
    expect(await create(...answers)).toMatchObject({ outcome: 'unreachable', pauses: [500, 1000, 2000, 4000] });
  });
});
