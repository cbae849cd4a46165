/** A host of repositories whose pipelines `dockbell init` can write. */
export const PIPELINE_HOSTS = ['github', 'gitlab'] as const;
export type PipelineHost = (typeof PIPELINE_HOSTS)[number];

/** Where the pipeline of a host lies in a repository. */
export const PIPELINE_PATHS = {
  github: '.github/workflows/dockbell.yaml',
  gitlab: '.gitlab-ci.yml',
} as const satisfies Record<PipelineHost, string>;

/** Where pre-commit looks for its hooks. */
export const PRE_COMMIT_PATH = '.pre-commit-config.yaml';

/** The text of a pipeline that checks pull requests with this version of the package, as a team would copy it. */
export function renderPipeline(host: PipelineHost, version: string): string {
  return (host === 'github' ? WORKFLOW : PIPELINE).replaceAll('{version}', version);
}

/** `.pre-commit-config.yaml`: the same checks before a commit. */
export function renderPreCommitConfig(version: string): string {
  return PRE_COMMIT.replaceAll('{version}', version);
}

const WORKFLOW = `# Checks every pull request: what an apply would refuse becomes an annotation, samples are judged. Where the variable
# DOCKBELL_URL and the secret DOCKBELL_TOKEN are set, the summary says what a merge would change.
name: dockbell
on:
  pull_request:
  push:
    branches: [main]
permissions:
  contents: read
env:
  DOCKBELL: dockbell@{version}
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          persist-credentials: false
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - name: Validate the definition
        run: npx --yes "$DOCKBELL" validate --strict --format github
      - name: Test the samples
        if: \${{ !cancelled() }}
        run: npx --yes "$DOCKBELL" test
      - name: Plan
        if: \${{ !cancelled() && github.event_name == 'pull_request' }}
        env:
          DOCKBELL_URL: \${{ vars.DOCKBELL_URL }}
          DOCKBELL_TOKEN: \${{ secrets.DOCKBELL_TOKEN }}
        run: |
          # Pull requests of forks get no secrets.
          if [ -z "$DOCKBELL_URL" ] || [ -z "$DOCKBELL_TOKEN" ]; then exit 0; fi
          npx --yes "$DOCKBELL" plan --format markdown >> "$GITHUB_STEP_SUMMARY"
`;

const PIPELINE = `# Checks every merge request: what an apply would refuse is shown as code quality, samples as test report. Where the variables
# DOCKBELL_URL and DOCKBELL_TOKEN (masked) are set, the artifact "Dockbell plan" says what a merge would change.
.dockbell:
  image: node:22
  variables:
    DOCKBELL: dockbell@{version}
    DOCKBELL_DIR: .

dockbell-check:
  extends: .dockbell
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  script:
    - |
      status=0
      npx --yes "$DOCKBELL" validate --strict -- "$DOCKBELL_DIR" || status=1
      npx --yes "$DOCKBELL" validate --strict --format gitlab -- "$DOCKBELL_DIR" > gl-code-quality-report.json || status=1
      npx --yes "$DOCKBELL" validate --strict --format junit -- "$DOCKBELL_DIR" > dockbell-validate.xml || status=1
      npx --yes "$DOCKBELL" test --format junit -- "$DOCKBELL_DIR" > dockbell-test.xml || status=1
      npx --yes "$DOCKBELL" test -- "$DOCKBELL_DIR" || status=1
      exit "$status"
  artifacts:
    when: always
    reports:
      codequality: gl-code-quality-report.json
      junit: dockbell-*.xml

dockbell-plan:
  extends: .dockbell
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event" && $DOCKBELL_URL && $DOCKBELL_TOKEN
  script:
    - npx --yes "$DOCKBELL" plan --format markdown -- "$DOCKBELL_DIR" > dockbell-plan.md
  artifacts:
    expose_as: Dockbell plan
    paths: [dockbell-plan.md]
`;

const PRE_COMMIT = `# The checks of a pull request before each commit: pre-commit install (https://pre-commit.com).
repos:
  - repo: local
    hooks:
      - id: dockbell-validate
        name: dockbell validate
        entry: npx --yes dockbell@{version} validate --strict
        language: system
        files: ^(factory\\.ya?ml$|webhooks/|automations/)
        pass_filenames: false
      - id: dockbell-test
        name: dockbell test
        entry: npx --yes dockbell@{version} test
        language: system
        files: ^(factory\\.ya?ml$|webhooks/|automations/)
        pass_filenames: false
`;
