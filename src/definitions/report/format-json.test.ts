import { describe, expect, it } from 'vitest';
import { finding, makeFactory, makeReport } from '../../../test/helpers/make-report.ts';
import { formatJson } from './format-json.ts';

describe('formatJson', () => {
  it('is the document of the interfaces page', () => {
    const document = JSON.parse(formatJson(makeReport([finding])));
    expect(document).toEqual({
      ...{ valid: false, root: '/repo', diagnostics: [finding], webhooks: ['ci'], automations: [] },
    });
    expect(Object.keys(document.diagnostics[0])).toEqual(Object.keys(finding));
  });

  it('says of several folders the same together, and of each what it is', () => {
    const other = { ...finding, file: 'b/webhooks/ci.yaml' };
    const first = makeFactory([], { folder: 'a/', webhooks: ['ci', 'deploys'] });
    const second = makeFactory([other], { folder: '', automations: ['triage'] });
    expect(JSON.parse(formatJson(makeReport({ factories: [first, second] })))).toEqual({
      valid: false,
      root: '/repo',
      diagnostics: [other],
      webhooks: ['ci', 'deploys'],
      automations: ['triage'],
      factories: [
        { dir: 'a', valid: true, diagnostics: [], webhooks: ['ci', 'deploys'], automations: [] },
        { dir: '.', valid: false, diagnostics: [other], webhooks: ['ci'], automations: ['triage'] },
      ],
    });
  });
});
