import { type QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, describe, expect, it } from 'vitest';
import { createQueryClient } from './query-client.ts';

const queryKey = ['rows'];
const clients: QueryClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.clear();
});

/** Observes a query whose responses are controlled by the test. */
function watchRows() {
  const client = createQueryClient();
  clients.push(client);
  const asked: ((answer: string) => void)[] = [];
  const queryFn = () => new Promise<string>((resolve) => asked.push(resolve));
  const shown: (string | undefined)[] = [];
  const observer = new QueryObserver(client, { queryKey, queryFn });
  observer.subscribe(({ data }) => shown.push(data));
  return { client, asked, shown };
}

describe('createQueryClient', () => {
  it('reads again after an invalidation during the first request', async () => {
    const { client, asked, shown } = watchRows();
    void client.invalidateQueries({ queryKey });
    void client.invalidateQueries({ queryKey });
    asked[0]!('before it happened');
    await expect.poll(() => asked.length).toBe(2);
    asked[1]!('after');
    await expect.poll(() => shown.at(-1)).toBe('after');
    expect(asked).toHaveLength(2);
  });

  it('reads once without an invalidation', async () => {
    const { asked, shown } = watchRows();
    asked[0]!('all');
    await expect.poll(() => shown.at(-1)).toBe('all');
    expect(asked).toHaveLength(1);
  });

  it('restarts a later request after an invalidation', async () => {
    const { client, asked, shown } = watchRows();
    asked[0]!('first');
    await expect.poll(() => shown.at(-1)).toBe('first');
    void client.invalidateQueries({ queryKey });
    void client.invalidateQueries({ queryKey });
    expect(asked).toHaveLength(3);
    asked[1]!('too old');
    asked[2]!('latest');
    await expect.poll(() => shown.at(-1)).toBe('latest');
    expect(shown).not.toContain('too old');
  });
});
