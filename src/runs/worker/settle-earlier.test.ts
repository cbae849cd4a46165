import { expect, it } from 'vitest';
import { silentLogger } from '../../../test/helpers/command-runs.ts';
import { settleEarlier } from './settle-earlier.ts';
import { Rejected } from './worker-api.ts';

type Parts = Parameters<typeof settleEarlier>[0];

const [A, B] = ['a', 'b'].map((letter) => `run_${letter.repeat(26)}`);

it('settles the other runs if the server does not take one, which stays for the next start', async () => {
  const holds = [A, B].map((id) => ({ id, fence: 1 }));
  const forgotten: string[] = [];
  const state = {
    runsDir: '/nowhere',
    kept: async () => holds,
    startRecords: { exists: async () => false },
    forget: async ({ id }: { id: string }) => void forgotten.push(id),
  };
  const handBack = async ({ id }: { id: string }) => {
    if (id === A) throw new Rejected('rejected');
  };
  const stopped = new AbortController().signal;
  await settleEarlier({ api: { handBack }, state, logger: silentLogger, stopped } as unknown as Parts);
  expect(forgotten).toEqual([B]);
});
