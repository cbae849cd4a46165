import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { PIPELINE_PATHS, type PipelineHost, renderPipeline } from '../../src/cli/offline/scaffold-checks.ts';
import { GITHUB } from '../../src/outbound/notify/hosts/github.ts';
import { GITLAB } from '../../src/outbound/notify/hosts/gitlab.ts';
import { expectGenerated, listFences, readDocument, renderTable } from '../helpers/documents.ts';

const PAGE = 'docs/guides/pull-requests.md';
const fence = (host: PipelineHost) => `\`\`\`yaml ${PIPELINE_PATHS[host]}\n${renderPipeline(host, null)}\`\`\`\n`;

interface Input {
  description: string;
  default: string;
}

describe(PAGE, () => {
  it('shows the pipelines that init writes', () => {
    expectGenerated(PAGE, 'github workflow', fence('github'));
    expectGenerated(PAGE, 'gitlab pipeline', fence('gitlab'));
  });

  it('lists what a token must be allowed to do, as errors name it', () => {
    for (const { tokenRights } of [GITHUB, GITLAB]) expect(readDocument(PAGE)).toContain(tokenRights);
  });

  it('lists the inputs of the action', () => {
    const { inputs } = parse(readDocument('action.yml')) as { inputs: { [name: string]: Input } };
    const rows = Object.entries(inputs).map(([name, input]) => [
      `\`${name}\``,
      input.default === '' ? '' : `\`${input.default}\``,
      input.description,
    ]);
    expectGenerated(PAGE, 'action inputs', renderTable(['input', 'default', 'meaning'], rows));
  });

  it('uses only inputs of the action and hooks that exist', () => {
    const examples = listFences(PAGE).map(({ text }) => text);
    const action = parse(readDocument('action.yml')) as { inputs: object };
    const used = parse(examples.find((text) => text.includes('/dockbell@'))!) as {
      jobs: { check: { steps: { with?: object }[] } };
    };
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(used.jobs.check.steps[1]!.with!)));
    const hooks = parse(readDocument('.pre-commit-hooks.yaml')) as { id: string }[];
    const named = parse(examples.find((text) => text.startsWith('repos:'))!) as {
      repos: [{ hooks: { id: string }[] }];
    };
    expect(named.repos[0].hooks.map(({ id }) => id)).toEqual(hooks.map(({ id }) => id));
  });
});
