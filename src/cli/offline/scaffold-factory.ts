import { readSchemaText } from '../../definitions/yaml/schemas.ts';
import { suggestFactoryName } from '../../domain/words/names.ts';
import { NOT_PUBLISHED } from '../../domain/words/publication.ts';
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
  isExecutable?: true;
}

const SCHEMAS = ['factory', 'webhook', 'automation', 'sample', 'config'] as const;

/**
 * A factory repository to start from: small, valid without warnings, and explained in its own files. Its `dockbell.yaml`
 * runs a daemon for it, with a command that executes runs.
 *
 * @param host whose pipeline checks pull requests; `null` for none
 * @param commit full commit of Dockbell that the checks build; `null` if it is not known
 */
export function scaffoldFactory(name: string, host: PipelineHost | null, commit: string | null): ScaffoldFile[] {
  return [
    { path: 'dockbell.yaml', text: configFile(name) },
    { path: 'agent.sh', text: AGENT, isExecutable: true },
    { path: '.gitignore', text: '# What the daemon stores: database, keys, logs of runs.\n/.dockbell/\n' },
    { path: 'factory.yaml', text: factoryFile(name) },
    { path: 'webhooks/internal-ci.yaml', text: WEBHOOK },
    { path: 'automations/triage-ci-failure/automation.md', text: AUTOMATION },
    {
      path: `${SAMPLES}/failed-on-main.json`,
      text: sampleFile('A failed build of main', FAILED, ['triage-ci-failure']),
    },
    { path: `${SAMPLES}/passed-on-main.json`, text: sampleFile('A build of main that passed', PASSED, []) },
    ...(host === null ? [] : [{ path: PIPELINE_PATHS[host], text: renderPipeline(host, commit) }]),
    { path: PRE_COMMIT_PATH, text: renderPreCommitConfig() },
    { path: 'README.md', text: readme(name) },
    // Copied, so that editors find them without a network and as the installed version understands them.
    ...SCHEMAS.map((kind) => ({ path: `schemas/${kind}.schema.json`, text: readSchemaText(kind) })),
  ];
}

function configFile(name: string): string {
  return `# yaml-language-server: $schema=schemas/config.schema.json
# The daemon for this factory: "dockbell serve" in this folder reads this file. On a server it is a file outside the
# repository, with the URL of the repository instead of the path.
dataDir: ./.dockbell
factories:
  - name: ${JSON.stringify(suggestFactoryName(name))}
    source: { type: repository, url: ., branch: main }
    runs:
      # Every run executes this command. Replace agent.sh with your agent.
      executor: { type: command, command: [./agent.sh], timeout: 30m }
`;
}

const AGENT = `#!/bin/sh
# Executes one run: what it prints is the log of the run, and exit code 0 means success. Replace it with your agent.
# It starts in a new folder that holds prompt.md (also on standard input), event-payload.json and run.json.
set -eu
echo "Run $DOCKBELL_RUN_ID of $DOCKBELL_AUTOMATION, started by $DOCKBELL_WEBHOOK."
echo "Payload:"
cat "$DOCKBELL_PAYLOAD"
echo
echo "Prompt:"
cat prompt.md
`;

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
# Header with the event ID of the sender. If omitted, identical bodies count as duplicates.
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

The definition of a Dockbell factory: \`webhooks/*.yaml\` declare who may post, \`automations/*/automation.md\` declare what
starts. What is committed to the branch \`main\` is live. \`dockbell.yaml\` runs a daemon for it on this machine, and each run
executes \`agent.sh\`.

1. Check it: \`dockbell validate --strict\` and \`dockbell test\`. \`webhooks/internal-ci.samples/\` holds the deliveries that are
   tested. The same checks run before each commit after \`pre-commit install\`.
2. Commit it: \`git init -b main && git add . && git commit -m "Add the factory"\`.
3. Start the daemon in this folder and leave it running: \`dockbell serve\`.
4. In a second terminal, in this folder, give the webhook its secret:
   \`openssl rand -base64 32 | dockbell secret create INTERNAL_CI_WEBHOOK_SECRET\`. Then \`dockbell status\` shows that the commit
   is live.
5. Send a delivery: \`dockbell send internal-ci --data '{"build": {"status": "failed", "branch": "main"}}'\`. It starts a run.
6. See what happened: \`dockbell delivery list\`, \`dockbell run list\`, \`dockbell run log last\`. \`dockbell webhook show internal-ci\`
   prints where and how real senders post.

${NOT_PUBLISHED}, so the checks of pull requests build it from source: fill in
\`DOCKBELL_REPOSITORY\` and \`DOCKBELL_COMMIT\` in their pipeline.

The files under \`schemas/\` help editors (with a YAML language server) to complete and check these files;
\`dockbell schema --dir schemas\` updates them.
`;
}
