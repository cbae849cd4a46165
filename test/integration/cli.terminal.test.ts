import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../helpers/run-cli.ts';
import type { SeededServices } from '../helpers/seeded-services.ts';
import {
  createSeededServer,
  createSeededServices,
  DELIVERY_ID,
  makeDelivery,
  makeRun,
  RUN_ID,
} from '../helpers/seeded-services.ts';

// What a person sees on a terminal that is narrow, or that does not report its size.
let services: SeededServices;
let app: ReturnType<typeof createSeededServer>;
let env: Record<string, string>;

const DETAIL = 'the command ended with exit code 78';

beforeEach(async () => {
  services = createSeededServices();
  services.deliveries.list = async () => ({
    data: [
      makeDelivery({ label: 'Rejected (auth)', reason: 'bad_credential', runs: [] }),
      makeDelivery({ label: 'Duplicate', duplicateOf: DELIVERY_ID, runs: [] }),
    ],
    nextCursor: null,
  });
  services.runs.list = async () => ({
    data: [makeRun({ state: 'failed', automation: 'review-pull-requests-of-the-platform-team', error: DETAIL })],
    nextCursor: null,
  });
  app = createSeededServer(services);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  env = { DOCKBELL_URL: url, DOCKBELL_TOKEN: services.grant('owner'), NO_COLOR: '1' };
});

afterEach(() => app.close());

const show = async (argv: string[], columns: number) =>
  (await runCli([...argv, '--factory', 'payments'], { env, columns, clock: services.clock })).stdout;

describe.each([0, 40, 50, 80])('on a terminal of %d columns', (columns) => {
  it('delivery list shows IDs, labels and reasons whole', async () => {
    const shown = await show(['delivery', 'list', 'internal-ci'], columns);
    expect(shown.match(new RegExp(`^${DELIVERY_ID}`, 'gm'))).toHaveLength(2);
    expect(shown).toMatch(/Rejected \(auth\)[\s\S]*bad_credential/);
    const words = shown.split(/\s+/).join(' ');
    expect(words).toContain('bad_credential: The token is not the secret of this webhook.');
    expect(words).toContain(`same delivery ID header as ${DELIVERY_ID}`);
  });

  it('run list shows IDs, states and errors whole', async () => {
    const shown = await show(['run', 'list'], columns);
    expect(shown).toMatch(new RegExp(`^${RUN_ID}`, 'm'));
    expect(shown.split(/\s+/).join(' ')).toContain(DETAIL);
    expect(shown).toContain('failed');
  });
});

it('prints help as wide as on other terminals if the terminal does not report its size', async () => {
  expect((await runCli(['--help'], { columns: 0 })).stdout).toBe((await runCli(['--help'], { columns: 100 })).stdout);
});
