import { NOT_PUBLISHED } from '../../domain/words/publication.ts';

/** Git hosts whose pipelines `dockbell init` can write. */
export const PIPELINE_HOSTS = ['github', 'gitlab'] as const;
export type PipelineHost = (typeof PIPELINE_HOSTS)[number];

/** Path of the pipeline of each host in a repository. */
export const PIPELINE_PATHS = {
  github: '.github/workflows/dockbell.yaml',
  gitlab: '.gitlab-ci.yml',
} as const satisfies Record<PipelineHost, string>;

/** Path of the configuration of pre-commit. */
export const PRE_COMMIT_PATH = '.pre-commit-config.yaml';

/**
 * The text of a pipeline that checks pull requests, as a team would copy it.
 *
 * @param commit full commit of Dockbell that the pipeline builds; `null` for a placeholder
 */
export function renderPipeline(host: PipelineHost, commit: string | null): string {
  return (host === 'github' ? WORKFLOW : PIPELINE).replaceAll('{commit}', commit ?? '');
}

/** `.pre-commit-config.yaml`: the same checks before a commit. */
export function renderPreCommitConfig(): string {
  return PRE_COMMIT;
}

const WORKFLOW = `# Checks every pull request: findings become annotations, samples are tested. If the variable DOCKBELL_URL and the secret
# DOCKBELL_TOKEN are set, the summary shows what a merge would change.
name: dockbell
on:
  pull_request:
  push:
    branches: [main]
permissions:
  contents: read
env:
  # ${NOT_PUBLISHED}: a package of that name could be from anybody. This workflow builds it from source
  # instead, at one commit. Fill in the https URL of its repository and the full commit that you trust.
  DOCKBELL_REPOSITORY: ""
  DOCKBELL_COMMIT: "{commit}"
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      # Actions are named by version here. Pin them by commit if your rules require it.
      - uses: actions/checkout@v6
        with:
          persist-credentials: false
      - uses: actions/setup-node@v6
        with:
          node-version: 24
      - name: Build Dockbell
        run: |
          if [ -z "$DOCKBELL_REPOSITORY" ] || [ -z "$DOCKBELL_COMMIT" ]; then
            echo "::error::Set DOCKBELL_REPOSITORY and DOCKBELL_COMMIT in .github/workflows/dockbell.yaml."
            exit 1
          fi
          git init -q "$RUNNER_TEMP/dockbell"
          cd "$RUNNER_TEMP/dockbell"
          git fetch -q --depth 1 "$DOCKBELL_REPOSITORY" "$DOCKBELL_COMMIT"
          git checkout -q FETCH_HEAD
          # A branch or a tag can move, so only a full commit passes.
          [ "$(git rev-parse HEAD)" = "$DOCKBELL_COMMIT" ]
          npm ci
          npm run build
      - name: Validate the definition
        run: node "$RUNNER_TEMP/dockbell/dist/main.js" validate --strict --format github
      - name: Test the samples
        if: \${{ !cancelled() }}
        run: node "$RUNNER_TEMP/dockbell/dist/main.js" test
      - name: Plan
        if: \${{ !cancelled() && github.event_name == 'pull_request' }}
        env:
          DOCKBELL_URL: \${{ vars.DOCKBELL_URL }}
          DOCKBELL_TOKEN: \${{ secrets.DOCKBELL_TOKEN }}
        run: |
          # Pull requests of forks get no secrets.
          if [ -z "$DOCKBELL_URL" ] || [ -z "$DOCKBELL_TOKEN" ]; then exit 0; fi
          node "$RUNNER_TEMP/dockbell/dist/main.js" plan --format markdown >> "$GITHUB_STEP_SUMMARY"
`;

const PIPELINE = `# Checks every merge request: findings are shown as code quality, samples as test report. If the variables DOCKBELL_URL and
# DOCKBELL_TOKEN (masked) are set, the artifact "Dockbell plan" shows what a merge would change.
.dockbell:
  image: node:24
  variables:
    # ${NOT_PUBLISHED}: a package of that name could be from anybody. This pipeline builds it from source
    # instead, at one commit. Fill in the https URL of its repository and the full commit that you trust.
    DOCKBELL_REPOSITORY: ""
    DOCKBELL_COMMIT: "{commit}"
    DOCKBELL_SOURCE: /tmp/dockbell
    DOCKBELL_DIR: .
  before_script:
    - |
      if [ -z "$DOCKBELL_REPOSITORY" ] || [ -z "$DOCKBELL_COMMIT" ]; then
        echo "Set DOCKBELL_REPOSITORY and DOCKBELL_COMMIT in the pipeline." >&2
        exit 1
      fi
      git init -q "$DOCKBELL_SOURCE"
      git -C "$DOCKBELL_SOURCE" fetch -q --depth 1 "$DOCKBELL_REPOSITORY" "$DOCKBELL_COMMIT"
      git -C "$DOCKBELL_SOURCE" checkout -q FETCH_HEAD
      # A branch or a tag can move, so only a full commit passes.
      [ "$(git -C "$DOCKBELL_SOURCE" rev-parse HEAD)" = "$DOCKBELL_COMMIT" ]
      # The build gets no token.
      (unset DOCKBELL_TOKEN; cd "$DOCKBELL_SOURCE"; npm ci; npm run build)

dockbell-check:
  extends: .dockbell
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  script:
    - |
      status=0
      dockbell() { node "$DOCKBELL_SOURCE/dist/main.js" "$@"; }
      dockbell validate --strict -- "$DOCKBELL_DIR" || status=1
      dockbell validate --strict --format gitlab -- "$DOCKBELL_DIR" > gl-code-quality-report.json || status=1
      dockbell validate --strict --format junit -- "$DOCKBELL_DIR" > dockbell-validate.xml || status=1
      dockbell test --format junit -- "$DOCKBELL_DIR" > dockbell-test.xml || status=1
      dockbell test -- "$DOCKBELL_DIR" || status=1
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
    - node "$DOCKBELL_SOURCE/dist/main.js" plan --format markdown -- "$DOCKBELL_DIR" > dockbell-plan.md
  artifacts:
    expose_as: Dockbell plan
    paths: [dockbell-plan.md]
`;

const PRE_COMMIT = `# The checks of a pull request before each commit: pre-commit install (https://pre-commit.com).
# They run the dockbell that is installed on this machine, and download nothing.
repos:
  - repo: local
    hooks:
      - id: dockbell-validate
        name: dockbell validate
        entry: dockbell validate --strict
        language: system
        files: ^(factory\\.ya?ml$|webhooks/|automations/)
        pass_filenames: false
      - id: dockbell-test
        name: dockbell test
        entry: dockbell test
        language: system
        files: ^(factory\\.ya?ml$|webhooks/|automations/)
        pass_filenames: false
`;
