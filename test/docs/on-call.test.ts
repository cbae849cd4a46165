import { describe, expect, it } from 'vitest';
import { expectGenerated, renderTable } from '../helpers/documents.ts';
import { ON_CALL_QUESTIONS } from '../helpers/on-call-questions.ts';

const PAGE = 'docs/operations/on-call.md';

describe(PAGE, () => {
  it('lists the questions that a test asks', () => {
    expect(ON_CALL_QUESTIONS).toHaveLength(20);
    const rows = ON_CALL_QUESTIONS.map(({ question, command, page, fact }) => [question, `\`${command}\``, page, fact]);
    expectGenerated(PAGE, 'questions', renderTable(['question', 'command', 'page', 'the answer contains'], rows));
  });
});
