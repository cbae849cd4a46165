import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CONDITIONS } from '../../src/domain/conditions.ts';
import { adviseOn, BODY_REASONS, describeDeliveryReason } from '../../src/domain/words/delivery-reasons.ts';
import { describeStatusReason, STATUS_REASONS } from '../../src/domain/words/status-reasons.ts';
import { locate, readDocument } from '../helpers/documents.ts';

function readSources(folder: string): string {
  return readdirSync(locate(folder))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readDocument(`${folder}${name}`))
    .join('\n');
}

it('src/domain/words has a sentence for each reason of a reconciliation or a condition', () => {
  const sources = readSources('src/reconcile/') + readDocument('src/domain/ports/sources.ts');
  const failures = /type SourceFailure =([^;]*);/.exec(sources)![1]!;
  const ofPasses = [
    ...failures.matchAll(/'(\w+)'/g),
    ...sources.matchAll(/reason: '([A-Z]\w+)'/g),
    ...sources.matchAll(/\b(?:end|fail|invalid)\([^;]*?'([A-Z][A-Za-z]+)'/g),
    ...sources.matchAll(/ [?:] '([A-Z][a-z]+[A-Z][A-Za-z]+)'/g),
  ].map((match) => match[1]!);
  const codes = new Set([...ofPasses, ...Object.keys(CONDITIONS)]);
  expect(Object.keys(STATUS_REASONS).sort()).toEqual([...codes].sort());
});

it('a reason of another version stands for itself', () => {
  expect(describeStatusReason('OfALaterVersion')).toBe('OfALaterVersion');
  expect(describeDeliveryReason('of_a_later_version')).toBe('of_a_later_version');
  expect(describeDeliveryReason('constructor')).toBe('constructor');
});

it('advice names the cause of each rejected body, and repeats no detail of an earlier version', () => {
  for (const [reason, words] of Object.entries(BODY_REASONS)) {
    const advice = adviseOn(words, null)!;
    expect(advice.startsWith(words.text.replace(/\.$/, ''))).toBe(true);
    // The advice of one format must not reach the senders of the other.
    if (!['body_is_form', 'body_is_json', 'unexpected_content_type'].includes(reason))
      expect(advice).not.toMatch(/bodyFormat/);
  }
  const advice = adviseOn(BODY_REASONS.invalid_json, 'the body is not valid JSON');
  expect(advice).toBe('The body is not valid JSON as RFC 8259 defines it: correct the JSON at the sender.');
});
