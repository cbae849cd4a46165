import { describe, expect, it } from 'vitest';
import { diffValues } from './yaml-text.ts';

const SIGNS = { added: '+', removed: '-', same: ' ', gap: '~' } as const;
const show = (...change: Parameters<typeof diffValues>) =>
  diffValues(...change).map(({ kind, text }) => `${SIGNS[kind]}${text}`);
const triggers = (action: string[]) => [
  { provider: 'webhook', event: 'received', filter: { webhooks: ['gh'], payload: { action, draft: [false] } } },
];

describe('diffValues', () => {
  it('shows the changed line with the keys that contain it', () => {
    const [from, to] = [triggers(['opened', 'synchronize', 'reopened']), triggers(['opened', 'reopened'])];
    expect(show({ key: 'triggers', from, to })).toEqual([
      ' triggers:',
      '   - provider: webhook',
      '~…',
      '     filter:',
      '~…',
      '       payload:',
      '         action:',
      '           - opened',
      '-          - synchronize',
      '           - reopened',
    ]);
  });

  it('shows lines of a long text with their neighbors', () => {
    const text = (word: string) => `One.\nTwo.\nThree.\n${word}\nFive.\nSix.\n`;
    expect(show({ key: 'prompt', from: text('Four.'), to: text('4.') })).toEqual([
      ' prompt: |',
      '~…',
      '   Three.',
      '-  Four.',
      '+  4.',
      '   Five.',
    ]);
  });

  it.each([
    [{ key: 'agent', from: null, to: 'triage' }, ['+agent: triage']],
    [{ key: 'agent', from: 'triage', to: null }, ['-agent: triage']],
    [{ key: 'enabled', from: true, to: false }, ['-enabled: true', '+enabled: false']],
    [{ key: 'text', from: 'yes', to: 'no' }, ['-text: yes', '+text: no']],
  ])('shows %j', (change, lines) => expect(show(change)).toEqual(lines));

  it('is fast for two long texts without a common line', () => {
    const long = (word: string) => Array.from({ length: 30_000 }, (_, i) => `${word} ${i}`).join('\n');
    const started = performance.now();
    expect(show({ key: 'prompt', from: long('a'), to: long('b') }).length).toBeGreaterThan(59_999);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
