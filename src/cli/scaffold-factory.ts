import { readSchemaText } from '../definitions/schemas.ts';
import {
  PIPELINE_PATHS,
  type PipelineHost,
  PRE_COMMIT_PATH,
  renderPipeline,
  renderPreCommitConfig,
} from './scaffold-checks.ts';

/** One file to write, its path relative to the root of the new repository. */
export interface ScaffoldFile {
  path: string;
  text: string;
}

const SCHEMAS = ['factory', 'webhook', 'automation', 'sample'] as const;

/**
 * A factory repository to start from: small, valid without warnings, and explained where it is read.
 *
 * @param host whose pipeline checks pull requests; `null` for none
 * @param version of the package that the checks run
 */
export function scaffoldFactory(name: string, host: PipelineHost | null, version: string): ScaffoldFile[] {
  return [
    { path: 'factory.yaml', text: factoryFile(name) },
    { path: 'webhooks/internal-ci.yaml', text: WEBHOOK },
    { path: 'automations/triage-ci-failure/automation.md', text: AUTOMATION },
    {
      path: `${SAMPLES}/failed-on-main.json`,
      text: sampleFile('A failed build of main', FAILED, ['triage-ci-failure']),
    },
    { path: `${SAMPLES}/passed-on-main.json`, text: sampleFile('A build of main that passed', PASSED, []) },
    ...(host === null ? [] : [{ path: PIPELINE_PATHS[host], text: renderPipeline(host, version) }]),
    { path: PRE_COMMIT_PATH, text: renderPreCommitConfig(version) },
    { path: 'README.md', text: readme(name) },
    // Copied, so that editors find them without a network and as the installed version understands them.
    ...SCHEMAS.map((kind) => ({ path: `schemas/${kind}.schema.json`, text: readSchemaText(kind) })),
  ];
}

function factoryFile(name: string): string {
  return `# yaml-language-server: $schema=schemas/factory.schema.json
schemaVersion: v1alpha1
name: ${JSON.stringify(name)}
`;
}

const WEBHOOK = `# yaml-language-server: $schema=../schemas/webhook.schema.json
# The name of the file is the name of the webhook. Its UID and URL come with the first apply:
#   dockbell webhook show internal-ci
description: Failed builds of the internal CI
authMode: token
secretName: INTERNAL_CI_WEBHOOK_SECRET
# The header in which the sender stamps its own event ID. Without one, two equal bodies are one delivery.
deliveryIdHeader: X-Build-Event-Id
`;

const AUTOMATION = `---
# yaml-language-server: $schema=../../schemas/automation.schema.json
description: Looks into failed builds of the main branch
triggers:
  - provider: webhook
    event: received
    filter:
      webhooks: [internal-ci]
      payload:
        build:
          status: [failed]
          branch: [main]
---
A build of the main branch has failed. The attached event-payload.json says which one.

1. Find the first error in the log of the build.
2. Say in a few sentences what is likely to have caused it, and who changed it last.
3. Propose the smallest change that repairs it.
`;

const SAMPLES = 'webhooks/internal-ci.samples';
const FAILED = { status: 'failed', branch: 'main' };
const PASSED = { status: 'passed', branch: 'main' };

function sampleFile(description: string, build: { [key: string]: string }, starts: string[]): string {
  const sample = { $schema: '../../schemas/sample.schema.json', description, body: { build }, starts };
  return `${JSON.stringify(sample, null, 2)}\n`;
}

function readme(name: string): string {
  return `# ${name}

The definition of a Dockbell factory: \`webhooks/*.yaml\` say who may post, \`automations/*/automation.md\` say what starts.
What is committed to the branch \`main\` is live.

1. Check it: \`npx dockbell validate --strict\` and \`npx dockbell test\`. The same checks run on every pull request, and before
   each commit after \`pre-commit install\`. \`webhooks/internal-ci.samples/\` holds the deliveries that are tested.
2. Name this repository under \`factories\` of \`dockbell.yaml\` and run \`dockbell serve\`.
3. Give the webhook its secret: \`dockbell secret create INTERNAL_CI_WEBHOOK_SECRET < secret.txt\`.
4. See where to send: \`dockbell webhook show internal-ci\`. Try it: \`dockbell send internal-ci --data '{"build": {"status": "failed", "branch": "main"}}'\`.
5. See what came of it: \`dockbell delivery list internal-ci\`, \`dockbell run list\`.

The files under \`schemas/\` help editors (with a YAML language server) to complete and check what is written;
\`dockbell schema --dir schemas\` brings them up to date.
`;
}
