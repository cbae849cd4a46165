import { describe, it } from 'vitest';
import { MISTAKES } from '../../src/definitions/signature/diagnose/diagnose-request.ts';
import { expectGenerated, renderTable } from '../helpers/documents.ts';

describe('docs/operations/diagnosing-rejections.md', () => {
  it('lists the mistakes that are tried, in order', () => {
    const rows = MISTAKES.map(({ id, tried }) => [`\`${id}\``, tried]);
    expectGenerated('docs/operations/diagnosing-rejections.md', 'mistakes', renderTable(['mistake', 'tried'], rows));
  });
});
