import { describe, expect, it } from 'vitest';
import { ALERT_RULES, type RuleSetting } from '../../src/domain/messages/alert-rules.ts';
import { writeDuration } from '../../src/domain/words/quantities.ts';
import { expectGenerated, readDocument, renderTable } from '../helpers/documents.ts';

const PAGE = 'docs/operations/alerts.md';

function describeSetting(setting: RuleSetting): string {
  if (setting.kind === 'toggle') return '';
  const write = (value: number) => (setting.of === 'duration' ? writeDuration(value) : String(value));
  const unit = setting.of === 'percent' ? ' percent' : '';
  return `\`${write(setting.on)}\`${unit} (${write(setting.min)} to ${write(setting.max)})`;
}

describe(PAGE, () => {
  it('lists the rules with their thresholds', () => {
    const rows = Object.entries(ALERT_RULES).map(([name, rule]) => [
      `\`${name}\``,
      rule.about === 'daemon' ? 'installation' : rule.about,
      rule.opens,
      rule.ends,
      `\`${rule.default}\``,
      describeSetting(rule.setting),
    ]);
    const head = ['rule', 'about', 'opens', 'ends', 'default', 'threshold of `on`'];
    expectGenerated(PAGE, 'alert rules', `\n${renderTable(head, rows)}\n`);
  });

  it('has an example of each type of target', () => {
    const types = [...readDocument(PAGE).matchAll(/^ {6}type: (\w+)$/gm)].map(([, type]) => type);
    expect([...new Set(types)].sort()).toEqual(['email', 'slack', 'webhook']);
  });
});
