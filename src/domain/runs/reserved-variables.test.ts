import { expect, it } from 'vitest';
import { isReservedVariable } from './reserved-variables.ts';

it.each([
  'PATH',
  'HOME',
  'LD_PRELOAD',
  'LD_LIBRARY_PATH',
  'DYLD_INSERT_LIBRARIES',
  'NODE_OPTIONS',
  'BASH_ENV',
  'DOCKBELL_X',
])('reserves %s, which the daemon sets or which can change the code that a program loads', (name) =>
  expect(isReservedVariable(name)).toBe(true),
);

it.each([
  'NPM_TOKEN',
  'NODE_AUTH_TOKEN',
  'GITHUB_TOKEN',
  'GIT_TOKEN',
  'PATH_TOKEN',
  'SLACK_WEBHOOK_SECRET',
  '__proto__',
])('%s may be the name of a secret of a run', (name) => expect(isReservedVariable(name)).toBe(false));
