import { expect, it } from 'vitest';
import { describeFailures } from './notices.ts';

it('names a reason once for all reports to a target that it affects', () => {
  const target = 'github team/factory';
  const failures = [
    { target, what: 'the commit status could not be posted', problem: 'it responded with 401' },
    { target: 'webhook example.com', what: 'the commit status could not be posted', problem: 'it responded with 401' },
    { target, what: 'the pull requests could not be listed', problem: 'it responded with 401' },
    { target, what: 'the comment could not be posted', problem: 'it responded with 403' },
  ];
  expect(describeFailures(failures)).toBe(
    'github team/factory: the commit status could not be posted, and the pull requests could not be listed: it responded with 401; ' +
      'webhook example.com: the commit status could not be posted: it responded with 401; ' +
      'github team/factory: the comment could not be posted: it responded with 403',
  );
  expect(describeFailures([])).toBe('');
});
