import { expect, it } from 'vitest';
import { isRequestEvent } from './find-request-hint.ts';

it.each(['pull_request', 'pull_request.opened', 'Merge Request Hook'])('%s is about a pull request', (event) => {
  expect(isRequestEvent(event)).toBe(true);
});

it.each([null, '', 'push', 'pull_request_review.submitted', 'Push Hook', 'Merge Request Hooks'])(
  '%s is not about a pull request',
  (event) => expect(isRequestEvent(event)).toBe(false),
);
