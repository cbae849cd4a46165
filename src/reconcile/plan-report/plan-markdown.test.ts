import { describe, expect, it } from 'vitest';
import type { PlanPreview } from '../../client/api-types.ts';
import { renderInvalidMarkdown, renderPlanMarkdown } from './plan-markdown.ts';

const finding = { file: 'automations/triage/automation.md', line: 7, column: 3, path: '', hint: '' };
const lost = {
  delivery: 'dlv_1',
  webhook_uid: 'wh_1',
  received_at: '2026-01-02T03:04:05.678Z',
  path: 'level',
  message: 'level is "a|b", expected "fatal"',
};

function makePlan(change: Partial<PlanPreview> = {}): PlanPreview {
  const section = () => ({ create: [], update: [], delete: [] });
  return {
    factory: 'payments',
    applied_revision: null,
    webhooks: section(),
    automations: section(),
    triggers: [],
    agent_files: { create: [], update: ['skills/a|b.md'], delete: [] },
    missing_secrets: [],
    diagnostics: [],
    backtest: {
      since: '2026-01-01T00:00:00.000Z',
      until: '2026-01-08T00:00:00.000Z',
      stored: 0,
      examined: 0,
      sampled: false,
      automations: [],
    },
    ...change,
  } as PlanPreview;
}

describe('renderPlanMarkdown', () => {
  it('separates errors from warnings', () => {
    const text = renderPlanMarkdown(
      makePlan({
        diagnostics: [
          { ...finding, severity: 'warning', rule: 'automation/unknown-uid', message: 'no such UID' },
          { ...finding, severity: 'error', rule: 'filter/unseen-key', message: 'no such key' },
        ],
      }),
    );
    expect(text).toContain('**Errors**\n\n- `automations/triage/automation.md:7` `no such key`\n\n**Warnings**\n\n');
    expect(text).toContain('**Warnings**\n\n- `automations/triage/automation.md:7` `no such UID`\n');
    expect(renderPlanMarkdown(makePlan())).not.toMatch(/Errors|Warnings/);
  });

  it('lists changed agent files in code spans', () => {
    expect(renderPlanMarkdown(makePlan())).toContain('| change | agent file `skills/a\\|b.md` |  |');
  });

  it('names the webhooks of triggers in words', () => {
    const changes = [{ key: 'listensTo', from: [[], ['ci', 'cd'], ['old']], to: [['github'], ['ci', 'cd']] }];
    const entry = { name: 'triage', uid: null, restored: false, changes };
    const text = renderPlanMarkdown(
      makePlan({ automations: { create: [], update: [entry], delete: [] } } as Partial<PlanPreview>),
    );
    expect(text).toContain('`webhooks of trigger 1`: `none` → `"github"`<br>`webhooks of trigger 3`: `"old"` → `none`');
    expect(text).not.toContain('listensTo');
  });

  it('lists the commands that create missing secrets', () => {
    const missing = [{ name: 'CI_SECRET', webhooks: ['ci', 'cd'], automations: [] }];
    const text = renderPlanMarkdown(makePlan({ missing_secrets: missing }));
    expect(text).toContain('- `CI_SECRET`, for `ci`, `cd`: `dockbell secret create CI_SECRET`\n');
  });

  it('counts the examples that it does not show', () => {
    const one = {
      automation: 'triage',
      examined: 60,
      before: 41,
      after: 3,
      gained_count: 0,
      unrecorded: 2,
      gained: [],
    };
    const show = (count: number) => {
      const automations = [{ ...one, lost_count: count, lost: [lost] }];
      const backtest = { ...makePlan().backtest, stored: 60, examined: 60, automations };
      return renderPlanMarkdown(makePlan({ backtest } as Partial<PlanPreview>));
    };
    expect(show(38)).toContain('<details><summary>triage: 41 starts → 3</summary>');
    expect(show(38)).toContain('`level is "a\\|b", expected "fatal"`\n- lost 37 more\n');
    expect(show(1)).not.toMatch(/\d more/);
    expect(show(1)).toContain('- 2 of them have no record of a tested header');
  });
});

describe('renderInvalidMarkdown', () => {
  it('quotes the findings with any content', () => {
    expect(renderInvalidMarkdown('a ~~~ b\n')).toBe('### Dockbell plan: invalid\n\n~~~text\na ~ ~ ~ b\n~~~\n');
  });

  it('is shorter than the limit for comments, and says that findings are omitted', () => {
    const text = renderInvalidMarkdown('webhooks/ci.yaml:1:1 error\n'.repeat(5_000));
    expect(text.length).toBeLessThan(65_536);
    expect(text).toMatch(/error\n~~~\n\nThe rest is omitted\. Run `dockbell validate` to see all findings\.\n$/);
  });
});
