import { expect, it } from 'vitest';
import { nameForApi, pickPolicy } from './run-policy-keys.ts';

const ANSWER = {
  name: 'triage',
  concurrency: { key: 'issue.number', cancelRunning: true },
  debounce: null,
  retry: null,
  budget: null,
  runs_on: ['gpu'],
  workspace: null,
};
const DECLARED = { concurrency: { key: 'issue.number', cancelRunning: true }, runsOn: ['gpu'] };

it('the policy of an answer has the keys of the definition file', () => {
  expect(pickPolicy(ANSWER)).toEqual(DECLARED);
});

it('the keys of a definition file have the names of the API in a request', () => {
  const { concurrency } = DECLARED;
  expect(nameForApi({ ...DECLARED, agent: 'claude' })).toEqual({ concurrency, runs_on: ['gpu'], agent: 'claude' });
});
