import { readSchemaText } from '../definitions/schemas.ts';

/** One file to write, its path relative to the root of the new repository. */
export interface ScaffoldFile {
  path: string;
  text: string;
}

const SCHEMAS = ['factory', 'webhook', 'automation'] as const;

/** A factory repository to start from: small, valid without warnings, and explained where it is read. */
export function scaffoldFactory(name: string): ScaffoldFile[] {
  return [
    { path: 'factory.yaml', text: factoryFile(name) },
    { path: 'webhooks/internal-ci.yaml', text: WEBHOOK },
    { path: 'automations/triage-ci-failure/automation.md', text: AUTOMATION },
    { path: '.github/workflows/dockbell.yaml', text: WORKFLOW },
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

const WORKFLOW = `# Annotates every pull request with what an apply would refuse.
name: dockbell
on:
  pull_request:
  push:
    branches: [main]
permissions:
  contents: read
jobs:
  validate:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - run: npx --yes dockbell validate --strict
`;

function readme(name: string): string {
  return `# ${name}

The definition of a Dockbell factory: \`webhooks/*.yaml\` say who may post, \`automations/*/automation.md\` say what starts.
What is committed to the branch \`main\` is live.

1. Check it: \`npx dockbell validate --strict\`. The same check runs on every pull request.
2. Name this repository under \`factories\` of \`dockbell.yaml\` and run \`dockbell serve\`.
3. Give the webhook its secret: \`dockbell secret create INTERNAL_CI_WEBHOOK_SECRET < secret.txt\`.
4. See where to send: \`dockbell webhook show internal-ci\`. Try it: \`dockbell send internal-ci --data '{"build": {"status": "failed", "branch": "main"}}'\`.
5. See what came of it: \`dockbell delivery list internal-ci\`, \`dockbell run list\`.

The files under \`schemas/\` help editors (with a YAML language server) to complete and check what is written;
\`dockbell schema --dir schemas\` brings them up to date.
`;
}
