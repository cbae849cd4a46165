import { expect, it } from 'vitest';
import { describeSubject, explainLoopGuard } from './runs.ts';

it('names the subject', () => {
  expect(explainLoopGuard('["github","acme/shop",12]')).toBe(
    'it has had 10 runs for github acme/shop 12 within 10 minutes, the limit of the loop guard',
  );
  expect(explainLoopGuard('["github","acme/shop",12]', { runs: 1, windowMs: 90_000 })).toBe(
    'it has had 1 run for github acme/shop 12 within 90s, the limit of the loop guard',
  );
  expect(describeSubject('["linear",null,"ENG-12"]')).toBe('linear ENG-12');
});

it('does not name a subject that is stored as its hash', () => {
  expect(describeSubject(`sha256:${'0'.repeat(64)}`)).toBe('one subject');
});
