import { describe, expect, it } from 'vitest';
import { validateFiles } from '../../../test/helpers/definition-tree.ts';
import { TRIGGER_PROVIDERS } from '../triggers/providers.ts';

/** One for each provider. */
const WEBHOOKS = Object.fromEntries(
  [...TRIGGER_PROVIDERS.keys()]
    .filter((name) => name !== 'azure-devops')
    .map((name, index) => [
      `webhooks/hook${index}.yaml`,
      name === 'slack'
        ? 'secretName: S\nserves: slack\nnames: {channels: {triage: C0123456}, users: {ann: U0123456}}\n'
        : `secretName: S\nserves: ${name}\n${name === 'gitlab' ? 'botUsername: bot\n' : ''}`,
    ]),
);

function validate(trigger: string) {
  const text = `---\ntriggers:\n  - ${trigger}\n---\nDo it.\n`;
  return validateFiles({ ...WEBHOOKS, 'automations/a/automation.md': text });
}

function findings(trigger: string): string[] {
  return validate(trigger).diagnostics.map(
    ({ severity, line, column, rule, path }) => `${severity} ${line}:${column} ${rule} ${path}`,
  );
}

function says(trigger: string): string {
  return validate(trigger)
    .diagnostics.map(({ message, hint }) => `${message} ${hint}`)
    .join('\n');
}

/** The text without the mark `»`, and the column of what follows it. */
function readMark(trigger: string): { trigger: string; at: string } {
  return { trigger: trigger.replace('»', ''), at: `3:${trigger.indexOf('»') + '  - '.length + 1}` };
}

const github = (event: string, filter: string) => `{provider: github, event: ${event}, filter: {${filter}}}`;

describe('a trigger of a provider', () => {
  it.each([
    ...[...TRIGGER_PROVIDERS]
      .filter(([provider]) => provider !== 'teams')
      .flatMap(([provider, { events }]) =>
        Object.entries(events)
          .filter(([, { unserved }]) => unserved === undefined)
          .map(([event]) => `{provider: ${provider}, event: ${event}}`),
      ),
    '{provider: factory, event: work_item_stage_changed, filter: {stages: [review]}}',
    '{provider: schedule, event: cron_fired, schedule: {cron: "0 9 * * 1"}}',
    github('push', 'repos: [acme/api, Acme-Corp/.github], branches: ["release/*"], paths: {in: ["api/**"]}'),
    github('issue_labeled', 'labels: {in: [ready], not_in: [wip]}, authors: null, assignees: {}'),
    github('pull_request_closed', 'pr_numbers: [12, 13]'),
    github('workflow_run_completed', 'conclusions: [Failure, timed_out], workflows: [CI]'),
    '{provider: gitlab, event: merge_request, filter: {repos: [acme/backend/api], actions: [opened, merge]}}',
    '{provider: slack, event: reaction_added, filter: {emojis: [":eyes:"], channels: ["#triage"]}}',
    '{provider: teams, event: app_mention, filter: {team_ids: [t], channel_ids: [a, b]}}',
  ])('is valid without a finding: %s', (trigger) => {
    expect(findings(trigger)).toEqual([]);
  });

  it('starts nothing, like those of unknown providers and events', () => {
    const { definition } = validate(github('issue_labeled', 'labels: [ready]'));
    expect(definition!.automations[0]!.triggers).toEqual([
      {
        provider: 'github',
        declared: { provider: 'github', event: 'issue_labeled', filter: { labels: ['ready'] } },
      },
    ]);
    expect(validate('{provider: mcp, event: send_task}').definition).not.toBeNull();
    expect(validate('{provider: github, event: deployment_created}').definition).not.toBeNull();
  });

  it.each([
    ['githib', 'github'],
    ['GitHub', 'github'],
    ['gitlabs', 'gitlab'],
    ['Azure DevOps', 'azure_devops'],
    ['azure-devop', 'azure-devops'],
    ['schedules', 'schedule'],
    ['slak', 'slack'],
  ])('with the provider %s is an error that names %s', (written, meant) => {
    expect(findings(`{provider: ${written}}`)).toEqual([
      'error 3:16 automation/misspelt-provider triggers[0].provider',
    ]);
    expect(says(`{provider: ${written}}`)).toContain(`Did you mean "${meant}"?`);
  });

  it.each([
    ['{provider: »mcp}', 'warning', 'unknown-provider', '.provider', /Known providers: webhook/],
    ['{provider: »git}', 'warning', 'unknown-provider', '.provider', /Did you mean "github"|Known providers/],
    ['{provider: »gihtub}', 'error', 'misspelt-provider', '.provider', /Did you mean "github"/],
    [
      '{provider: github, event: issue_labeled, »labels: [ready]}',
      'warning',
      'misplaced-filter-key',
      '.labels',
      /Move it below "filter": filter: \{labels: …\}/,
    ],
    ['{provider: »webhooks}', 'error', 'invalid-value', '.provider', /Did you mean "webhook"/],
    ['»{provider: github}', 'warning', 'unknown-event', '', /Add "event:"/],
    ['{provider: github, event: »issue_labelled}', 'warning', 'unknown-event', '.event', /mean "issue_labeled"/],
    ['{provider: github, event: »constructor}', 'warning', 'unknown-event', '.event', /Known events: push/],
    [
      '{provider: jira, event: »agent_session_created}',
      'warning',
      'event-not-served',
      '.event',
      /Use issue_labeled or/,
    ],
    ['{provider: github, event: push, »schedule: {}}', 'error', 'unknown-key', '.schedule', /provider: schedule/],
    [
      '{provider: factory, event: cron_fired, »schedule: {}}',
      'error',
      'unknown-key',
      '.schedule',
      /provider: schedule/,
    ],
    ['{provider: schedule, event: fired, »schedule: {}}', 'error', 'unknown-key', '.schedule', /cron_fired/],
    ['{provider: github, event: push, filter: »[a]}', 'error', 'wrong-type', '.filter', /must be a map/],
    [
      '{provider: teams, event: app_mention, filter: {channel_ids: [c], team_ids: »[a, b]}}',
      'error',
      'invalid-value',
      '.filter.team_ids',
      /exactly one value/,
    ],
    [
      '{provider: teams, event: app_mention, filter: {team_ids: [a], channel_ids: {»not_in: [c]}}}',
      'error',
      'invalid-value',
      '.filter.channel_ids.not_in',
      /values to include only/,
    ],
    [
      '»{provider: teams, event: app_mention, filter: {team_ids: [a]}}',
      'error',
      'missing-key',
      '',
      /"channel_ids" with at least one value/,
    ],
  ])('is reported: %s', (marked, severity, rule, path, text) => {
    const { trigger, at } = readMark(marked);
    expect(findings(trigger)).toEqual([`${severity} ${at} automation/${rule} triggers[0]${path}`]);
    expect(says(trigger)).toMatch(text);
  });

  it('is a warning for each key that is not in the payload', () => {
    const unserved = [...TRIGGER_PROVIDERS].flatMap(([provider, { events }]) =>
      Object.entries(events).flatMap(([event, { keys }]) =>
        Object.entries(keys).flatMap(([key, known]) => ('unserved' in known ? [[provider, event, key]] : [])),
      ),
    );
    expect(unserved).toContainEqual(['github', 'pull_request_opened', 'paths']);
    expect(unserved).toContainEqual(['slack', 'reaction_added', 'keywords']);
    for (const [provider, event, key] of unserved) {
      const found = findings(`{provider: ${provider}, event: ${event}, filter: {${key}: [a]}}`);
      expect(found).toContainEqual(
        expect.stringMatching(`^warning .* automation/key-not-served triggers\\[0\\]\\.filter\\.${key}$`),
      );
    }
  });
});

describe('the filter of a trigger', () => {
  it.each([
    ['»baseBranches: [main]', 'automation/unknown-key', 'baseBranches', /"base_branches"/],
    ['»colour: [red]', 'automation/unknown-key', 'colour', /Keys: repos, base_branches/],
    ['labels: »bug', 'automation/wrong-type', 'labels', /labels: \["bug"]/],
    ['labels: {»not: [a]}', 'automation/unknown-key', 'labels.not', /"in" and "not_in"/],
    ['labels: {in: »a}', 'automation/wrong-type', 'labels.in', /must be a list/],
    ['labels: [»1]', 'automation/wrong-type', 'labels[0]', /in quotes: "1"/],
    ['labels: [»" "]', 'automation/invalid-value', 'labels[0]', /empty/],
    ['pr_numbers: [»"12"]', 'automation/wrong-type', 'pr_numbers[0]', /without quotes/],
    ['pr_numbers: [»12.5]', 'automation/invalid-value', 'pr_numbers[0]', /integer/],
    ['pr_numbers: [»0]', 'automation/invalid-value', 'pr_numbers[0]', /at least 1/],
    ['repos: [»api]', 'automation/invalid-value', 'repos[0]', /acme\/payments/],
    ['repos: [»"acme/*"]', 'automation/invalid-value', 'repos[0]', /owner\/name/],
    ['repos: [»acme/api.git]', 'automation/invalid-value', 'repos[0]', /owner\/name/],
    ['repos: [»"https://github.com/acme/api"]', 'automation/invalid-value', 'repos[0]', /owner\/name/],
    ['authors: »{in: ["@Ann"], not_in: [ann]}', 'filter/contradiction', 'authors', /both list "@Ann"/],
    [
      'base_branches: »{in: [main], not_in: [refs/heads/main]}',
      'filter/contradiction',
      'base_branches',
      /both list "main"/,
    ],
  ])('is invalid: %s', (filter, rule, path, text) => {
    const { trigger, at } = readMark(github('pull_request_opened', filter));
    expect(findings(trigger)).toEqual([`error ${at} ${rule} triggers[0].filter.${path}`]);
    expect(says(trigger)).toMatch(text);
  });

  it.each([
    ['conclusions: [success, »failed]', 'unknown-filter-value', 'conclusions[1]', /Known values: success, failure/],
    ['conclusions: [»timedout]', 'unknown-filter-value', 'conclusions[0]', /Did you mean "timed_out"/],
    ['branches: »[]', 'empty-filter', 'branches', /imposes nothing/],
    ['branches: {not_in: »[]}', 'empty-filter', 'branches.not_in', /imposes nothing/],
    ['»labels: [a]', 'key-not-served', 'labels', /number, head and base/],
  ])('is valid with a warning: %s', (filter, rule, path, text) => {
    const { trigger, at } = readMark(github('check_suite_completed', filter));
    expect(findings(trigger)).toEqual([`warning ${at} automation/${rule} triggers[0].filter.${path}`]);
    expect(says(trigger)).toMatch(text);
    expect(validate(trigger).definition).not.toBeNull();
  });

  it('compares the words of the dashboard of GitLab as the values that GitLab sends', () => {
    const trigger = '{provider: gitlab, event: merge_request, filter: {actions: {in: [opened], not_in: [Open]}}}';
    expect(findings(trigger)[0]).toMatch(/filter\/contradiction/);
  });

  it('lists at most 100 of 5,000 unknown keys', () => {
    const filter = Array.from({ length: 5000 }, (_, index) => `k${index}: [a]`).join(', ');
    const found = findings(github('push', filter));
    expect(found.filter((finding) => finding.includes('automation/unknown-key'))).toHaveLength(100);
    expect(found).toContainEqual(expect.stringMatching(/file\/too-many-findings/));
  });
});
