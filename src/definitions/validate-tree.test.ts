import { describe, expect, it } from 'vitest';
import { createTree, type EntryContent, validateFiles } from '../../test/helpers/definition-tree.ts';
import { NO_POLICY } from '../../test/helpers/no-policy.ts';
import { compareDiagnostics } from '../domain/definitions/diagnostic.ts';
import { RULES } from '../domain/rules.ts';
import { PATTERN_RULES } from './filter/parse-pattern.ts';
import { formatPretty } from './report/format-pretty.ts';
import { SCHEME_NAMES } from './signature/schemes/schemes.ts';
import { validateTree } from './validate-tree.ts';

const UID = 'wh_01a2b3c4d5e6f7g8h9jkmnpqrs';
const CI = { 'webhooks/ci.yaml': 'secretName: CI_SECRET\n' };

/** An automation that listens to the webhook `ci`, with other keys and other text of its trigger. */
function automation({ keys = '', trigger = 'filter: {webhooks: [ci]}', prompt = 'Do it.\n' } = {}): string {
  return `---\ntriggers:\n  - provider: webhook\n    event: received\n    ${trigger}\n${keys}---\n\n${prompt}`;
}

interface Case {
  title: string;
  files: { [path: string]: EntryContent };
  knownUids?: { [name: string]: string };
  /** `file:line:column rule path` of every finding. */
  findings: string[];
  /** What the first finding says, message and hint. */
  says?: RegExp;
}

const webhook = (title: string, text: string | Uint8Array, findings: string[], says?: RegExp): Case => ({
  title,
  files: { 'webhooks/x.yaml': text },
  findings: findings.map((finding) => `webhooks/x.yaml:${finding}`),
  says,
});

const front = (title: string, text: string | Uint8Array, findings: string[], says?: RegExp): Case => ({
  title,
  files: { ...CI, 'automations/a/automation.md': text },
  findings: findings.map((finding) => `automations/a/automation.md:${finding}`),
  says,
});

/** An automation with two triggers of one event, and their webhook. */
const githubTriggers = (...filters: [string, string]) => ({
  'webhooks/github.yaml': 'authMode: signature\nsignatureScheme: github\nsecretName: A\n',
  'automations/a/automation.md': `---\ntriggers:\n${filters
    .map((filter) => `  - {provider: github, event: issue_created, filter: ${filter}}\n`)
    .join('')}---\n\nDo it.\n`,
});

const SIGNED = 'authMode: signature\nsecretName: A\nsignatureScheme';
const CUSTOM = `${SIGNED}: custom\nsignature: `;

const CASES: Case[] = [
  {
    title: 'a tree without a factory',
    files: {},
    findings: [':1:1 factory/not-found '],
    says: /No factory definition found/,
  },
  {
    title: 'a tree with other files only',
    files: { 'README.md': '', 'agents/a.yaml': 'a: [' },
    findings: [':1:1 factory/not-found '],
  },
  {
    title: 'a symbolic link and a submodule for a webhook',
    files: { 'webhooks/a.yaml': { kind: 'symlink' }, 'webhooks/b': { kind: 'submodule' } },
    findings: ['webhooks/a.yaml:1:1 tree/not-a-file ', 'webhooks/b:1:1 tree/not-a-file '],
    says: /symbolic link/,
  },
  {
    title: 'links for the folders and for an automation',
    files: {
      webhooks: { kind: 'symlink' },
      'factory.yaml': { kind: 'symlink' },
      'automations/a': { kind: 'submodule' },
      'automations/b/automation.md': { kind: 'symlink' },
      'automations/b/notes': { kind: 'symlink' },
    },
    findings: ['automations/a', 'automations/b/automation.md', 'factory.yaml', 'webhooks'].map(
      (file) => `${file}:1:1 tree/not-a-file `,
    ),
  },
  {
    title: 'folders in capitals, reported once',
    files: { 'Webhooks/a.yaml': '', 'Webhooks/b.yaml': '', 'Factory.yaml': '' },
    findings: ['Factory.yaml:1:1 tree/wrong-case ', 'Webhooks/a.yaml:1:1 tree/wrong-case '],
    says: /must be factory.yaml/,
  },
  {
    title: 'a file of 256 KiB and one byte',
    files: { 'webhooks/x.yaml': `secretName: A\n${'#'.repeat(262_144 - 13)}` },
    findings: ['webhooks/x.yaml:1:1 file/too-large '],
    says: /262145 bytes.*262144/,
  },
  webhook('bytes that are not UTF-8', Buffer.from('secretName: A\ndescription: "ä\xff"\n', 'latin1'), [
    '2:15 file/not-utf8 ',
  ]),
  {
    title: 'what git left in files, also in a prompt and in samples, but not in a code block',
    files: {
      'factory.yaml': 'schemaVersion: v1alpha1\n<<<<<<< HEAD\nname: a\n||||||| x\n=======\nname: b\n>>>>>>> b\n',
      'webhooks/a.yaml': 'secretName: A\r\n<<<<<<< HEAD\r\n=======\r\nenabled: false\r\n>>>>>>> b\r\n',
      'webhooks/a.samples/1.json': '{\n<<<<<<< HEAD\n=======\n>>>>>>> b\n"body": 1}',
      'webhooks/b.yaml': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n',
      'automations/a.md': automation({ prompt: 'A\n<<<<<<< HEAD\nB\n=======\nC\n>>>>>>> b\n' }),
      'automations/b.md': automation({
        keys: 'enabled: false\n',
        trigger: 'filter: {webhooks: [a]}',
        prompt: 'Title\n=======\n```\n<<<<<<< HEAD\nB\n=======\nC\n>>>>>>> b\n```\n',
      }),
    },
    findings: [
      'automations/a.md:9:1 file/merge-conflict ',
      'factory.yaml:2:1 file/merge-conflict ',
      'webhooks/a.samples/1.json:2:1 sample/invalid-json ',
      'webhooks/a.yaml:2:1 file/merge-conflict ',
      'webhooks/b.yaml:1:1 file/lfs-pointer ',
    ],
    says: /in lines 9 to 13\./,
  },
  {
    title: '.yml, and capitals in the extension',
    files: { 'factory.yml': '', 'webhooks/a.yml': 'secretName: A', 'webhooks/b.YAML': 'secretName: A' },
    findings: ['factory.yml', 'webhooks/a.yml', 'webhooks/b.YAML'].map((file) => `${file}:1:1 file/wrong-extension `),
    says: /Rename it to factory.yaml/,
  },
  webhook(
    'more findings than are listed',
    `secretName: A\n${Array.from({ length: 105 }, (_, i) => `k${i}: 1\n`).join('')}`,
    [
      ...Array.from({ length: 99 }, (_, i) => `${i + 2}:1 webhook/unknown-key k${i}`),
      '101:1 file/too-many-findings ',
      '101:1 webhook/unknown-key k99',
    ],
  ),

  webhook('text that is not YAML', 'secretName: [a\n', ['2:1 yaml/syntax secretName[0]']),
  webhook('a tab for indentation', 'signature:\n\ta: 1\n', ['2:1 yaml/tab signature'], /Replace tabs with spaces/),
  webhook('a tab after spaces, once for each line', 'a:\n  - b\n \t- c\n \t- d\n', ['3:2 yaml/tab a', '4:2 yaml/tab ']),
  webhook('a tab and another mistake', 'a:\n\tb: 1\nc: [\n', ['2:1 yaml/tab a', '4:1 yaml/syntax c']),
  webhook('a tab before the text of a block', 'description: |\n\ttext\n', ['2:1 yaml/tab description']),
  webhook('a tab inside brackets', 'signature: {\n\theader: X}\n', ['2:1 yaml/tab signature']),
  webhook('a key that is a list', '[a]: 1\n', ['1:1 yaml/syntax ']),
  webhook('YAML 1.1', '%YAML 1.1\n---\nsecretName: A\n', ['1:1 yaml/version '], /YAML 1.1/),
  webhook('two documents', 'secretName: A\n---\nsecretName: B\n', ['2:1 yaml/multiple-documents ']),
  webhook('65 levels', `secretName: ${'['.repeat(64)}${']'.repeat(64)}\n`, ['1:76 yaml/too-deep ']),
  webhook('a duplicate key', 'secretName: A\nenabled: true\nsecretName: B\n', ['3:1 yaml/duplicate-key secretName']),
  webhook('a duplicate key in other spelling', 'secretName: A\n"secretName": B\n', [
    '2:1 yaml/duplicate-key secretName',
  ]),
  webhook('a custom tag', 'secretName: !env A\n', ['1:13 yaml/custom-tag secretName'], /!env/),
  webhook('a tag of YAML 1.1', 'secretName: !!binary aGk=\n', ['1:13 yaml/custom-tag secretName']),
  webhook('an alias without anchor', 'secretName: *a\n', ['1:13 yaml/unknown-anchor secretName']),
  webhook('an alias inside its own value', 'secretName: &a [*a]\n', ['1:17 yaml/alias-cycle secretName[0]']),
  webhook('a merge key inside its own value', 'secretName: &a\n  <<: *a\n', ['2:7 yaml/alias-cycle secretName["<<"]']),
  webhook(
    '101 aliases',
    `secretName: &a A\nx: [${'*a, '.repeat(101)}]\n`,
    ['2:405 yaml/alias-limit x[100]'],
    /more than 100/,
  ),
  webhook('aliases of aliases', `a: &a [x]\nb: &b [${'*a, '.repeat(10)}]\nc: &c [${'*b, '.repeat(10)}]\n`, [
    '1:1 yaml/alias-limit ',
  ]),
  webhook('a merge key without a map', '<<: 3\nsecretName: A\n', ['1:5 yaml/bad-merge ["<<"]']),
  webhook('infinity', 'secretName: .inf\n', ['1:13 yaml/not-json secretName']),

  front('no front matter', 'Do it.\n', ['1:1 front-matter/missing '], /start with front matter/),
  front('an empty file', '', ['1:1 front-matter/missing '], /empty/),
  front('a blank line before the front matter', '\n---\ntriggers: []\n---\nx', ['1:1 front-matter/missing ']),
  front('front matter without end', '---\ntriggers: []\n', ['1:1 front-matter/not-closed ']),
  front(
    'front matter without keys',
    '---\n---\nDo it.\n',
    ['2:1 automation/wrong-type '],
    /front matter must be a map/,
  ),
  front(
    'a filter of headers',
    automation({ trigger: 'filter: { webhooks: [ci], headers: { X-A: [b], x-c: { exists: true } } }' }),
    [],
  ),
  ...(
    [
      ['{ X-A: [7] }', '5:47', 'filter/bad-header', '.X-A'],
      ['{ X-A: { b: [c] } }', '5:47', 'filter/bad-header', '.X-A'],
      ['{ X-A: [b], x-a: [c] }', '5:57', 'filter/bad-header', '.x-a'],
      ['{ "X A": [b] }', '5:49', 'filter/bad-header', '["X A"]'],
      ['{ X-A: b }', '5:47', 'filter/not-a-list', '.X-A'],
      ['{ X-A: ["b*"] }', '5:47', 'filter/wildcard', '.X-A'],
      ['{ Authorization: [b] }', '5:42', 'filter/credential-header', '.Authorization'],
      ['[X-A]', '5:40', 'filter/bad-header', ''],
    ] as const
  ).map(([headers, at, rule, path]) =>
    front(
      `the filter of headers ${headers}`,
      automation({ trigger: `filter: { webhooks: [ci], headers: ${headers} }` }),
      [`${at} ${rule} triggers[0].filter.headers${path}`],
    ),
  ),
  front('a body of white space', automation({ prompt: ' \n\t\n' }), ['7:1 automation/empty-prompt ']),
  front('YAML mistakes count lines of the whole file', automation({ keys: 'agent: [\n' }), ['7:1 yaml/syntax agent']),

  {
    title: 'factory.yaml with wrong values',
    files: { 'factory.yaml': 'schemaVersion: v1\nname: 3\nother: {anything: [1]}\n' },
    findings: ['factory.yaml:1:16 factory/invalid-value schemaVersion', 'factory.yaml:2:7 factory/wrong-type name'],
    says: /must be v1alpha1, but is "v1"/,
  },
  {
    title: 'factory.yaml without its keys',
    files: { 'factory.yaml': 'x: 1\n' },
    findings: ['factory.yaml:1:1 factory/missing-key schemaVersion', 'factory.yaml:1:1 factory/missing-key name'],
  },
  {
    title: 'factory.yaml with an empty name',
    files: { 'factory.yaml': 'schemaVersion: v1alpha1\nname: " "\n' },
    findings: ['factory.yaml:2:7 factory/invalid-value name'],
  },

  {
    title: 'settings for rules that do not exist or always hold',
    files: {
      'factory.yaml':
        'schemaVersion: v1alpha1\nname: f\nlint:\n  automation/unreachible: off\n  __proto__: off\n  yaml/syntax: off\n  webhook/unheard: no\n  filter/wildcard: false\n',
    },
    findings: [
      'factory.yaml:4:3 factory/unknown-rule lint["automation/unreachible"]',
      'factory.yaml:5:3 factory/unknown-rule lint.__proto__',
      'factory.yaml:6:3 factory/not-a-lint-rule lint["yaml/syntax"]',
      'factory.yaml:7:20 factory/invalid-value lint["webhook/unheard"]',
      'factory.yaml:8:20 factory/invalid-value lint["filter/wildcard"]',
    ],
    says: /Did you mean "automation\/unreachable"/,
  },
  {
    title: 'settings that are a list',
    files: { 'factory.yaml': 'schemaVersion: v1alpha1\nname: f\nlint: [automation/unreachable]\n' },
    findings: ['factory.yaml:3:7 factory/wrong-type lint'],
  },
  {
    title: 'names of webhooks that are none',
    files: {
      'webhooks/-a.yaml': 'secretName: A',
      'webhooks/.yaml': 'secretName: A',
      'webhooks/a b.yaml': 'secretName: A',
    },
    findings: ['webhooks/-a.yaml', 'webhooks/.yaml', 'webhooks/a b.yaml'].map(
      (file) => `${file}:1:1 webhook/invalid-name `,
    ),
  },
  {
    title: 'names of webhooks that differ only in case',
    files: { 'webhooks/CI.yaml': 'secretName: A', 'webhooks/ci.yaml': 'secretName: A' },
    findings: ['webhooks/ci.yaml:1:1 webhook/name-collision '],
    says: /"webhooks\/CI.yaml" and "webhooks\/ci.yaml"/,
  },
  {
    title: 'names that differ only in how their letters are composed or folded, at any depth',
    files: {
      ...CI,
      'automations/a/automation.md': automation(),
      'automations/a/e\u0301.md': '',
      'automations/a/\u00e9.md': '',
      'automations/a/STRASSE/x': '',
      'automations/a/STRASSE/y': '',
      'automations/a/stra\u00dfe/x': '',
      'automations/a/stra\u00dfe/y': '',
    },
    findings: ['stra\u00dfe/x', '\u00e9.md'].map((name) => `automations/a/${name}:1:1 tree/name-collision `),
  },
  {
    title: 'folders and other files in webhooks/',
    files: {
      'webhooks/a/b.yaml': 'secretName: A',
      'webhooks/a/readme.txt': '',
      'webhooks/.gitkeep': '',
      'webhooks/README.md': '',
      'webhooks/notes.md': '',
      'webhooks/ci.json': '{}',
    },
    findings: ['webhooks/a/b.yaml:1:1 webhook/nested-file ', 'webhooks/ci.json:1:1 webhook/ignored-file '],
    says: /Move it to webhooks\/b.yaml/,
  },
  {
    title: 'the 21st webhook, disabled ones counted',
    files: Object.fromEntries(
      Array.from({ length: 22 }, (_, i) => [`webhooks/w${10 + i}.yaml`, `secretName: A\nenabled: ${i > 3}\n`]),
    ),
    findings: ['webhooks/w30.yaml:1:1 webhook/too-many '],
    says: /declares 22 webhooks.*limit is 20/,
  },

  webhook(
    'an unknown key',
    'secretName: A\nauthmode: token\n',
    ['2:1 webhook/unknown-key authmode'],
    /Did you mean "authMode"\?/,
  ),
  webhook('a key in snake case', 'secret_name: A\n', [
    '1:1 webhook/missing-key secretName',
    '1:1 webhook/unknown-key secret_name',
  ]),
  webhook('a name key', 'secretName: A\nname: ci\n', ['2:1 webhook/unknown-key name'], /name of its file/),
  webhook('a signature object, which needs the custom scheme', 'secretName: A\nsignature: {}\n', [
    '2:1 webhook/unused-signature signature',
  ]),
  webhook('a signature object with a built-in scheme', `${SIGNED}: github\nsignature: {header: X-S}\n`, [
    '4:1 webhook/unused-signature signature',
  ]),
  webhook(
    'a custom scheme without a signature object',
    `${SIGNED}: custom\n`,
    ['1:1 webhook/missing-signature signature'],
    /Say how the sender signs/,
  ),
  webhook('more for Grafana than its users choose', `${SIGNED}: grafana\nsignature: {header: X-S, label: v1}\n`, [
    '4:26 webhook/unknown-key signature.label',
  ]),
  webhook(
    'a key of a signature object that neither Grafana nor anybody else has',
    `${SIGNED}: grafana\nsignature: {headr: X-S}\n`,
    ['4:13 webhook/unknown-key signature.headr'],
    /"header"/,
  ),
  webhook(
    'an ID in the header of the signature',
    `${CUSTOM}{header: X-S, idHeader: x-s, timestamp: {header: X-T}, content: "{timestamp}{body}"}\n`,
    ['4:36 webhook/credential-header signature.idHeader'],
  ),
  webhook(
    'an ID in a header that carries a credential',
    `${CUSTOM}{header: X-S, idHeader: Authorization, timestamp: {header: X-T}, content: "{timestamp}{body}"}\n`,
    ['4:36 webhook/credential-header signature.idHeader'],
  ),
  webhook('content with a header that no request can have', `${CUSTOM}{header: X-S, content: "{header:X S}{body}"}\n`, [
    '4:26 webhook/invalid-signature signature.content',
  ]),
  webhook(
    'a timestamp in the header of the signature',
    `${CUSTOM}{header: X-S, content: "{timestamp}{body}", timestamp: {header: x-s}}\n`,
    ['4:56 webhook/invalid-signature signature.timestamp'],
    /use label/,
  ),
  webhook(
    'a scheme by the name of who signs so',
    `${SIGNED}: svix\n`,
    ['3:18 webhook/unknown-scheme signatureScheme'],
    /"standard_webhooks"/,
  ),
  webhook(
    'a misspelt key of a signature object',
    `${CUSTOM}{header: X-S, algoritm: sha1}\n`,
    ['4:26 webhook/unknown-key signature.algoritm'],
    /"algorithm"/,
  ),
  webhook(
    'an algorithm that does not exist',
    `${CUSTOM}{header: X-S, algorithm: md5}\n`,
    ['4:37 webhook/invalid-value signature.algorithm'],
    /hmac-sha256/,
  ),
  webhook('an empty signature object', `${CUSTOM}{}\n`, ['4:1 webhook/invalid-signature signature.header']),
  webhook(
    'content with a part that does not exist',
    `${CUSTOM}{header: X-S, content: "{bdy}"}\n`,
    ['4:26 webhook/invalid-signature signature.content'],
    /{body}/,
  ),
  webhook('content with a timestamp from nowhere', `${CUSTOM}{header: X-S, content: "{timestamp}{body}"}\n`, [
    '4:26 webhook/invalid-signature signature.content',
  ]),
  webhook('a timestamp in an entry of a header with one', `${CUSTOM}{header: X-S, timestamp: {label: t}}\n`, [
    '4:26 webhook/invalid-signature signature.timestamp',
  ]),
  webhook('a public key as text', `${CUSTOM}{header: X-S, algorithm: ed25519, key: text}\n`, [
    '4:46 webhook/invalid-signature signature.key',
  ]),
  webhook('a weak custom scheme', `${CUSTOM}{header: X-S, algorithm: hmac-sha1, timestamp: {header: X-T}}\n`, [
    '4:26 webhook/weak-signature signature.algorithm',
    '4:48 webhook/weak-signature signature.timestamp',
  ]),
  webhook('a custom scheme that signs no time', `${CUSTOM}{header: X-S}\n`, [
    '4:1 webhook/weak-signature signature.timestamp',
  ]),
  webhook('the header of a custom signature as delivery ID', `${CUSTOM}{header: [X-A, X-S]}\ndeliveryIdHeader: x-s\n`, [
    '5:19 webhook/credential-header deliveryIdHeader',
  ]),
  webhook('keys of the prototype', 'secretName: A\n__proto__: {x: 1}\nconstructor: 1\n', [
    '2:1 webhook/unknown-key __proto__',
    '3:1 webhook/unknown-key constructor',
  ]),
  webhook('an empty file for a webhook', '', ['1:1 webhook/wrong-type '], /must be a map, but is empty/),
  webhook('a list for a webhook', '- a\n', ['1:1 webhook/wrong-type '], /is a list/),
  webhook(
    'values of wrong types',
    'secretName: 3\nenabled: yes\ndescription: [a]\ndeliveryIdHeader:\n',
    [
      '1:13 webhook/wrong-type secretName',
      '2:10 webhook/wrong-type enabled',
      '3:14 webhook/wrong-type description',
      '4:18 webhook/wrong-type deliveryIdHeader',
    ],
    /quotes/,
  ),
  webhook(
    'a YAML 1.1 boolean',
    'secretName: A\nenabled: on\n',
    ['2:10 webhook/wrong-type enabled'],
    /In YAML 1.2, on is a string/,
  ),
  webhook('no secretName', 'enabled: true\n', ['1:1 webhook/missing-key secretName'], /Name the team secret/),
  webhook('a secretName that is none', 'secretName: my-secret\n', ['1:13 webhook/invalid-value secretName']),
  webhook(
    'an unknown authMode',
    'secretName: A\nauthMode: tokn\n',
    ['2:11 webhook/invalid-value authMode'],
    /Did you mean "token"/,
  ),
  webhook('a delivery ID header that is not a field name', 'secretName: A\ndeliveryIdHeader: "X Id"\n', [
    '2:19 webhook/invalid-value deliveryIdHeader',
  ]),
  ...[
    ['event: {header: X-Event-Token}', '2:17', 'event.header'],
    ['recordHeaders: [X-A, Authorization]', '2:22', 'recordHeaders[1]'],
    ['recordHeaders: [X-Hub-Signature-256]', '2:17', 'recordHeaders[0]'],
    ['recordHeaders: [x-api-key]', '2:17', 'recordHeaders[0]'],
  ].map(([line, at, path]) =>
    webhook(`a credential that would be recorded by ${line}`, `secretName: A\n${line}\n`, [
      `${at} webhook/credential-header ${path}`,
    ]),
  ),
  webhook('places of the event', 'secretName: A\nevent: {header: X-Event, path: data.kind}\n', []),
  webhook('an event without a place', 'secretName: A\nevent: {}\n', ['2:1 webhook/invalid-value event']),
  webhook('an event with an empty key in its path', 'secretName: A\nevent: {path: a..b}\n', [
    '2:15 webhook/invalid-value event.path',
  ]),
  webhook('a recorded header that is not a header name', 'secretName: A\nrecordHeaders: ["X A"]\n', [
    '2:17 webhook/invalid-value recordHeaders[0]',
  ]),
  ...[
    'Authorization',
    'Proxy-Authorization',
    'COOKIE',
    'set-cookie',
    'Webhook-Signature',
    'webhook-timestamp',
    'stripe-signature',
  ].map((header) =>
    webhook(`deliveryIdHeader ${header}`, `secretName: A\ndeliveryIdHeader: ${header}\n`, [
      '2:19 webhook/credential-header deliveryIdHeader',
    ]),
  ),
  webhook('signature without a scheme', 'secretName: A\nauthMode: signature\n', [
    '1:1 webhook/missing-scheme signatureScheme',
  ]),
  webhook('a scheme without signature', 'secretName: A\nsignatureScheme: github\n', [
    '2:1 webhook/unused-scheme signatureScheme',
  ]),
  webhook('a scheme with another mode', 'secretName: A\nauthMode: url_token\nsignatureScheme: github\n', [
    '3:1 webhook/unused-scheme signatureScheme',
  ]),
  webhook('a form field without forms', 'secretName: A\nformField: events\n', [
    '2:1 webhook/unused-form-field formField',
  ]),
  webhook('two places of the delivery ID', 'secretName: A\ndeliveryIdHeader: X-Id\ndeliveryIdPath: id\n', [
    '3:1 webhook/two-delivery-ids deliveryIdPath',
  ]),
  webhook('a delivery ID path with an empty key', 'secretName: A\ndeliveryIdPath: a..b\n', [
    '2:17 webhook/invalid-value deliveryIdPath',
  ]),
  webhook('an expected interval without a unit', "secretName: A\nexpectEvery: '24'\n", [
    '2:14 webhook/invalid-value expectEvery',
  ]),
  webhook('an expected interval that is too long', 'secretName: A\nexpectEvery: 32d\n', [
    '2:14 webhook/invalid-value expectEvery',
  ]),
  webhook('a verify token that no sender presents', 'secretName: A\nverifyTokenSecretName: B\n', [
    '2:1 webhook/unused-verify-token verifyTokenSecretName',
  ]),
  webhook(
    'a provider that no webhook serves',
    'secretName: A\nserves: githob\n',
    ['2:9 webhook/invalid-value serves'],
    /Did you mean "github"/,
  ),
  webhook(
    'keys about accounts of a provider without a provider',
    'secretName: A\nnames: {channels: {triage: C0123456789}}\nbotUsername: bot\nignoreActors: [bot]\n',
    [
      '2:9 webhook/unused-provider-key names.channels',
      '3:1 webhook/unused-provider-key botUsername',
      '4:1 webhook/unused-provider-key ignoreActors',
    ],
    /serves no provider\..*set "serves" to one of: slack\./,
  ),
  webhook(
    'keys about accounts of another provider',
    `${SIGNED}: github\nnames: {teams: {fce9ccd5-cbc5-4e4a-9a4a-3b4ef0e1d6a1: "19:a"}}\nbotUsername: bot\nignoreActors: [bot]\n`,
    ['4:9 webhook/unused-provider-key names.teams', '5:1 webhook/unused-provider-key botUsername'],
    /serves github\..*one of: teams\./s,
  ),
  webhook('keys about accounts of no provider, in words', `${SIGNED}: gitlab\nserves: none\nbotUsername: bot\n`, [
    '5:1 webhook/unused-provider-key botUsername',
  ]),
  webhook('a bot of GitLab behind a relay', 'secretName: A\nserves: gitlab\nbotUsername: "@bot"\n', []),
  webhook(
    'a name that is listed twice',
    `${SIGNED}: slack\nnames: {channels: {triage: C01, "#triage": C02}}\n`,
    ['4:33 webhook/invalid-value names.channels["#triage"]'],
    /has the name "triage" twice/,
  ),
  webhook(
    'names that are not names, and IDs that are not IDs',
    `${SIGNED}: slack\nnames: {channels: {"# ": C01, a: "", b: 1}, groups: {}}\n`,
    [
      '4:19 webhook/invalid-value names.channels',
      '4:34 webhook/invalid-value names.channels.a',
      '4:41 webhook/wrong-type names.channels.b',
      '4:45 webhook/unknown-key names.groups',
    ],
    /"# "; it must be a name of at most 200 characters/,
  ),
  webhook(
    'more names than a webhook can have',
    `${SIGNED}: slack\nnames:\n  users:\n${Array.from({ length: 201 }, (_, at) => `    u${at}: U${at}\n`).join('')}`,
    ['5:3 webhook/invalid-value names.users'],
    /more than 200 entries/,
  ),
  webhook('a team that has no ID of Microsoft Graph', 'secretName: A\nserves: teams\nnames: {teams: {ops: "19:a"}}\n', [
    '3:16 webhook/invalid-value names.teams',
  ]),
  webhook('an ignored actor without a name', 'secretName: A\nserves: jira\nignoreActors: ["@"]\n', [
    '3:16 webhook/invalid-value ignoreActors[0]',
  ]),
  webhook('a verify token that is not a name', 'secretName: A\nauthMode: url_token\nverifyTokenSecretName: a b\n', [
    '3:24 webhook/invalid-value verifyTokenSecretName',
  ]),
  ...['githob', 'Custom', 'GitHub'].map((scheme) =>
    webhook(
      `the scheme ${scheme}`,
      `secretName: A\nauthMode: signature\nsignatureScheme: ${scheme}\n`,
      ['3:18 webhook/unknown-scheme signatureScheme'],
      /alertmanager, asana, .*custom, .*github/,
    ),
  ),

  {
    title: 'names of automations that are none or collide',
    files: {
      ...CI,
      'automations/_x/automation.md': automation({ keys: 'enabled: false\n' }),
      'automations/A/automation.md': automation(),
      'automations/a/automation.md': automation({ keys: 'enabled: false\n' }),
    },
    findings: [
      'automations/_x/automation.md:1:1 automation/invalid-name ',
      'automations/a/automation.md:1:1 automation/name-collision ',
    ],
  },
  {
    title: 'a flat automation, a note, and folders next to them',
    files: {
      ...CI,
      'automations/a.md': automation(),
      'automations/readme.md': '# Notes',
      'automations/.hidden.md': '',
      'automations/a.samples/failed.json': '{"body": {}, "starts": ["a"]}',
      'automations/b.samples/automation.md': automation({ keys: 'enabled: false\n' }),
    },
    findings: [],
  },
  {
    title: 'both forms of an automation',
    files: { ...CI, 'automations/a.md': automation(), 'automations/a/automation.md': automation() },
    findings: ['automations/a.md:1:1 automation/duplicate-form '],
    says: /"a" is declared twice, in automations\/a\/automation\.md and in automations\/a\.md\. Remove one/,
  },
  {
    title: 'both forms with names that differ in case, and invalid names of flat files',
    files: {
      ...CI,
      'automations/A.md': automation(),
      'automations/a/automation.md': automation({ keys: 'enabled: false\n' }),
      'automations/_b.md': automation({ keys: 'enabled: false\n' }),
      'automations/c.md': { kind: 'symlink' },
    },
    findings: [
      'automations/A.md:1:1 automation/name-collision ',
      'automations/_b.md:1:1 automation/invalid-name ',
      'automations/c.md:1:1 tree/not-a-file ',
    ],
  },
  {
    title: 'a folder of documents next to a flat automation',
    files: { ...CI, 'automations/a.md': automation(), 'automations/a/notes.txt': '' },
    findings: ['automations/a/notes.txt:1:1 automation/no-file '],
    says: /Move automations\/a\.md to automations\/a\/automation\.md, or remove the folder/,
  },
  {
    title: 'samples of automations that no webhook starts, that do not exist, or with problems',
    files: {
      'factory.yaml': 'schemaVersion: v1alpha1\nname: a\n',
      'automations/a.md':
        '---\ntriggers: [{provider: schedule, event: cron_fired, schedule: {cron: "0 9 * * 1"}}]\n---\nDo it.\n',
      'automations/a.samples/1.json': '{"body": {}}',
      'automations/a.samples/deep/2.json': '{"body": {}}',
      'automations/a.samples/README.md': '',
      'automations/b.samples/1.json': '{"body": {}}',
      'automations/b.samples/link.json': { kind: 'symlink' },
    },
    findings: [
      'automations/a.samples/1.json:1:1 sample/unknown-webhook ',
      'automations/a.samples/deep/2.json:1:1 sample/nested-file ',
      'automations/b.samples/1.json:1:1 sample/unknown-webhook ',
      'automations/b.samples/link.json:1:1 sample/ignored-file ',
    ],
    says: /No webhook that the automation "a" selects by name starts it/,
  },
  {
    title: 'automations in the wrong place',
    files: {
      'automations/a.markdown': '',
      'automations/ReadMe.MD': '',
      'automations/.gitkeep': '',
      'automations/logo.png': '',
      'automations/b/c/automation.md': '',
      'automations/d/AUTOMATION.md': '',
      'automations/e/automation.markdown': '',
      'automations/f/notes.txt': '',
    },
    findings: [
      'automations/a.markdown:1:1 automation/wrong-file-name ',
      'automations/b/c/automation.md:1:1 automation/nested-file ',
      'automations/b/c/automation.md:1:1 automation/no-file ',
      'automations/d/AUTOMATION.md:1:1 automation/wrong-file-name ',
      'automations/e/automation.markdown:1:1 automation/wrong-file-name ',
      'automations/f/notes.txt:1:1 automation/no-file ',
      'automations/logo.png:1:1 automation/ignored-file ',
    ],
    says: /Rename it to automations\/a\.md, or move it to automations\/a\/automation\.md/,
  },
  front(
    'numbers with the text of their values, and others',
    automation({
      keys: 'environmentId: 007\nmcpServers: [{a: 0x1F, b: 1.5, c: -0, e: 12345678901234567}]\n',
      trigger: 'filter: {webhooks: [ci], payload: {a: [1, -7, 0, 1.5, 100000000000000, "x", 1.0]}}',
    }),
    [
      '5:81 yaml/changed-number triggers[0].filter.payload.a[6]',
      '6:16 yaml/changed-number environmentId',
      '7:18 yaml/changed-number mcpServers[0].a',
      '7:35 yaml/changed-number mcpServers[0].c',
      '7:42 yaml/changed-number mcpServers[0].e',
    ],
    /1\.0 is read as the number 1\..*put quotes around it: "1\.0"/,
  ),
  front(
    'an unknown key of the front matter',
    automation({ keys: 'modle: x\n' }),
    ['6:1 automation/unknown-key modle'],
    /"model"/,
  ),
  front('a retry without its number of attempts', automation({ keys: 'retry: { backoff: 10s }\n' }), [
    '6:1 automation/missing-key retry.maxAttempts',
  ]),
  front('a retry of one attempt', automation({ keys: 'retry: { maxAttempts: 1, backoff: 0s, on: [killed] }\n' }), [
    '6:10 automation/invalid-value retry.maxAttempts',
    '6:35 automation/invalid-value retry.backoff',
    '6:44 automation/invalid-value retry.on[0]',
  ]),
  front('an unknown key of a trigger', automation({ trigger: 'filter: {webhooks: [ci]}\n    evnt: x' }), [
    '6:5 automation/unknown-key triggers[0].evnt',
  ]),
  front(
    'a payload filter next to the filter',
    automation({ trigger: 'filter: {webhooks: [ci]}\n    payload: {level: [error]}' }),
    ['6:5 automation/unknown-key triggers[0].payload'],
    /Move it below "filter": filter: \{payload: …\}/,
  ),
  front(
    'a key of a provider filter next to no filter',
    '---\ntriggers:\n  - {provider: github, event: issue_labeled, labels: [ready]}\n---\nDo it.\n',
    ['3:5 automation/not-served triggers[0]', '3:46 automation/misplaced-filter-key triggers[0].labels'],
  ),
  {
    title: 'triggers without a filter on webhooks that get pings',
    files: {
      'webhooks/a.yaml': `${SIGNED}: github\n`,
      'webhooks/b.yaml': `${SIGNED}: circleci\n`,
      'webhooks/c.yaml': `${SIGNED}: gitlab\n`,
      'automations/a.md': `---\ntriggers:\n  - {provider: webhook, event: received, filter: {webhooks: [a, b, c], payload: {}}}\n  - {provider: webhook, event: received, filter: {webhooks: [a, b], payload: {type: {not_in: [ping]}}}}\n  - {provider: webhook, event: received, filter: {webhook_ids: [${UID}]}}\n---\nDo it.\n`,
    },
    knownUids: { a: UID },
    findings: [
      'automations/a.md:3:51 automation/starts-on-ping triggers[0].filter',
      'automations/a.md:3:51 automation/starts-on-ping triggers[0].filter',
      'automations/a.md:5:51 automation/starts-on-ping triggers[2].filter',
    ],
    says: /The provider of the webhook "a" sends a ping.*headers: \{X-GitHub-Event: \{not_in: \[ping\]\}\}/,
  },
  front('an unknown key of a filter', automation({ trigger: 'filter: {webhooks: [ci], paylod: {}}' }), [
    '5:30 automation/unknown-key triggers[0].filter.paylod',
  ]),
  front(
    'overrides of wrong types',
    automation({ keys: 'model: 3\nsecrets: TOKEN\nmcpServers: x\nagent: " "\nenabled: "true"\n' }),
    [
      '6:8 automation/wrong-type model',
      '7:10 automation/wrong-type secrets',
      '8:13 automation/wrong-type mcpServers',
      '9:8 automation/invalid-value agent',
      '10:10 automation/wrong-type enabled',
    ],
  ),
  front('no triggers', '---\nagent: x\n---\nDo it.\n', ['2:1 automation/missing-key triggers']),
  front('an empty list of triggers', '---\ntriggers: []\n---\nDo it.\n', ['2:11 automation/invalid-value triggers']),
  front(
    'triggers that are not maps',
    '---\ntriggers:\n  - webhook\n  - 5\n---\nDo it.\n',
    ['3:5 automation/wrong-type triggers[0]', '4:5 automation/wrong-type triggers[1]'],
    /is a string.*Write "provider: webhook"/,
  ),
  front(
    'triggers that are one map',
    '---\ntriggers:\n  provider: webhook\n---\nDo it.\n',
    ['3:3 automation/wrong-type triggers'],
    /must be a list.*each trigger begins with "- "/,
  ),
  front('a trigger without provider', '---\ntriggers:\n  - event: received\n---\nDo it.\n', [
    '3:5 automation/missing-key triggers[0].provider',
  ]),
  front('another event', automation().replace('received', 'recieved'), [
    '4:12 automation/invalid-value triggers[0].event',
  ]),
  front('no event', '---\ntriggers:\n  - {provider: webhook, filter: {webhooks: [ci]}}\n---\nDo it.\n', [
    '3:5 automation/missing-key triggers[0].event',
  ]),
  front('almost the provider github', '---\ntriggers:\n  - {provider: gihtub, event: push}\n---\nDo it.\n', [
    '3:16 automation/misspelt-provider triggers[0].provider',
  ]),
  front('almost the provider webhook', '---\ntriggers:\n  - provider: webhooks\n---\nDo it.\n', [
    '3:15 automation/invalid-value triggers[0].provider',
  ]),
  front(
    'triggers of providers that start nothing here',
    `---
triggers:
  - {provider: bitbucket, event: push}
  - {provider: github, event: pushed}
  - {provider: jira, event: agent_session_created}
  - {provider: github, event: pull_request_opened, filter: {paths: [api], labels: []}}
  - {provider: github, event: check_suite_completed, filter: {conclusions: [failed]}}
---
Do it.
`,
    [
      '3:16 automation/unknown-provider triggers[0].provider',
      '4:31 automation/unknown-event triggers[1].event',
      '5:29 automation/event-not-served triggers[2].event',
      '6:61 automation/key-not-served triggers[3].filter.paths',
      '6:83 automation/empty-filter triggers[3].filter.labels',
      '7:5 automation/not-served triggers[4]',
      '7:77 automation/unknown-filter-value triggers[4].filter.conclusions[0]',
    ],
  ),
  {
    title: 'triggers that webhooks of the factory serve only in part',
    files: {
      'factory.yaml':
        'schemaVersion: v1alpha1\nname: f\nrepositories: [{owner: acme, name: site}, acme/api, {name: docs}]\n',
      'webhooks/off.yaml': 'enabled: false\nauthMode: signature\nsignatureScheme: github\nsecretName: A\n',
      'webhooks/chat.yaml':
        'authMode: signature\nsignatureScheme: slack\nsecretName: B\nnames: {channels: {triage: C012345}}\n',
      'webhooks/relay.yaml': 'secretName: C\nserves: gitlab\n',
      'webhooks/second.yaml': 'secretName: C\nserves: gitlab\n',
      'automations/a/automation.md': `---
triggers:
  - {provider: github, event: push}
  - {provider: slack, event: app_mention, filter: {channels: ['#triage', ops]}}
  - {provider: gitlab, event: bot_mentioned}
  - {provider: gitlab, event: merge_request, filter: {repos: [Acme/API, acme/other]}}
---
Do it.
`,
    },
    findings: [
      'automations/a/automation.md:3:5 automation/not-served triggers[0]',
      'automations/a/automation.md:4:74 automation/name-not-mapped triggers[1].filter.channels[1]',
      // For each of the two webhooks.
      'automations/a/automation.md:5:5 automation/not-served triggers[2]',
      'automations/a/automation.md:5:5 automation/not-served triggers[2]',
      'automations/a/automation.md:6:73 automation/repository-not-listed triggers[3].filter.repos[1]',
      'factory.yaml:3:53 factory/unreadable-repository repositories[2]',
      'webhooks/second.yaml:1:1 webhook/same-provider ',
    ],
  },
  {
    title: 'a provider that no webhook serves, once for the factory',
    files: {
      ...CI,
      ...Object.fromEntries(
        ['a', 'b', 'c'].map((name) => [
          `automations/${name}.md`,
          `---\ntriggers:\n  - {provider: azure_devops, event: work_item_created}\n  - {provider: azure-devops, event: pull_request_${name === 'b' ? 'merged' : 'created'}}\nenabled: ${name !== 'c'}\n---\nDo it.\n`,
        ]),
      ),
    },
    findings: ['automations/a.md:3:5 automation/not-served triggers[0]'],
    says: /No webhook serves the provider "azure_devops"\. Its triggers never start these automations: a, b\./,
  },
  front('a trigger without filter', '---\ntriggers:\n  - {provider: webhook, event: received}\n---\nDo it.\n', [
    '3:5 automation/no-webhooks triggers[0].filter',
  ]),
  ...[
    'filter: {payload: {a: [1]}}',
    'filter: {webhooks: []}',
    'filter: {webhook_ids: []}',
    'filter: {webhook_ids: {in: []}}',
    'filter: {webhook_ids: {}}',
  ].map(
    (trigger): Case => ({
      title: `a trigger that names no webhook: ${trigger}`,
      files: { ...CI, 'automations/a/automation.md': automation({ trigger }) },
      findings: [expect.stringMatching(/automation\/no-webhooks triggers\[0]\.filter/) as unknown as string],
    }),
  ),
  front(
    'another operator in webhook_ids',
    automation({ trigger: 'filter: {webhook_ids: {not_in: [x]}}' }),
    ['5:28 automation/unknown-key triggers[0].filter.webhook_ids.not_in'],
    /no other operator/,
  ),
  front('a text for webhook_ids', automation({ trigger: `filter: {webhook_ids: ${UID}}` }), [
    '5:27 automation/wrong-type triggers[0].filter.webhook_ids',
  ]),
  ...['wh_1', UID.toUpperCase(), `${UID}0`, UID.replace('a', 'u')].map((uid) =>
    front(`the malformed UID ${uid}`, automation({ trigger: `filter: {webhook_ids: [${UID}, ${uid}]}` }), [
      '5:59 automation/malformed-uid triggers[0].filter.webhook_ids[1]',
    ]),
  ),
  front(
    'a name in webhook_ids before the first apply',
    automation({ trigger: 'filter: {webhook_ids: {in: [ci]}}' }),
    ['5:33 automation/name-as-uid triggers[0].filter.webhook_ids.in[0]'],
    /webhooks: \[ci]/,
  ),
  {
    ...front(
      'a name in webhook_ids of an applied webhook',
      automation({ trigger: 'filter: {webhook_ids: [ci]}' }),
      ['5:28 automation/name-as-uid triggers[0].filter.webhook_ids[0]'],
      new RegExp(UID),
    ),
    knownUids: { ci: UID },
  },
  front(
    'an unknown name in webhooks',
    automation({ trigger: 'filter: {webhooks: [ci, cj]}' }),
    ['5:29 automation/unknown-webhook triggers[0].filter.webhooks[1]'],
    /Did you mean "ci"/,
  ),
  front(
    'a UID in webhooks',
    automation({ trigger: `filter: {webhooks: [${UID}]}` }),
    ['5:25 automation/unknown-webhook triggers[0].filter.webhooks[0]'],
    /webhook_ids/,
  ),
  front('reserved names in secrets', automation({ keys: 'secrets: [A, LD_PRELOAD, "a b"]\n' }), [
    '6:14 automation/reserved-secret secrets[1]',
    '6:26 automation/invalid-value secrets[2]',
  ]),
  front(
    'a broken payload filter',
    automation({
      trigger:
        'filter:\n      webhooks: [ci]\n      payload:\n        a: {in: [1], b: [2]}\n        c:\n          d: []',
    }),
    [
      '8:12 filter/mixed-operators triggers[0].filter.payload.a',
      '10:14 filter/empty-list triggers[0].filter.payload.c.d',
    ],
  ),
  front('a payload filter that is not a map', automation({ trigger: 'filter: {webhooks: [ci], payload: 3}' }), [
    '5:39 filter/not-an-object triggers[0].filter.payload',
  ]),
  front(
    'a mistake behind an alias has the position of the value',
    '---\ntriggers:\n  - &t\n    provider: webhook\n    event: received\n    filter: {webhooks: [nope]}\n  - <<: *t\n---\nDo it.\n',
    [
      '6:25 automation/unknown-webhook triggers[0].filter.webhooks[0]',
      '6:25 automation/unknown-webhook triggers[1].filter.webhooks[0]',
      '7:5 automation/repeated-trigger triggers[1]',
    ],
  ),

  ...['', ', mode: queue', ', mode: skip', ', mode: latest'].map(
    (mode): Case =>
      front(
        `cancelRunning${mode}`,
        automation({}).replace('---\n', `---\nconcurrency: {key: ref, cancelRunning: true${mode}}\n`),
        mode === ', mode: latest' ? [] : ['2:25 automation/unused-cancel-running concurrency.cancelRunning'],
      ),
  ),

  webhook('a token for a provider that signs', 'secretName: A\n', []),
  ...['github', 'Standard-Webhooks', 'azure.devops'].map(
    (name): Case => ({
      title: `a webhook called ${name} that takes a token`,
      files: { [`webhooks/${name}.yaml`]: 'secretName: A\nauthMode: url_token\n' },
      findings: name === 'azure.devops' ? [] : [`webhooks/${name}.yaml:2:1 webhook/unsigned-provider authMode`],
    }),
  ),
  front('a token in a prompt', automation({ prompt: `Use dbs_${'aB3-'.repeat(11)}.\n` }), ['8:5 file/exposed-secret ']),
  webhook('a token in a comment, once', `secretName: A\n# ${'AKIA'}QWERTYUIOPASDFGH ${'AKIA'}QWERTYUIOPASDFGH\n`, [
    '2:3 file/exposed-secret ',
  ]),
  front(
    'a prompt with instructions to follow the payload',
    automation({ prompt: 'Look.\n\n- Then follow the instructions in the payload.\n' }),
    ['10:8 automation/obeys-payload '],
  ),
  front(
    'suspicious keys and values of a filter',
    automation({
      trigger:
        'filter:\n      webhooks: [ci]\n      payload:\n        a.b: [1]\n        c:\n          d: [main, feature/*]\n          e: {not_in: [1, "2"]}\n          $.f: [x]',
    }),
    [
      '8:9 filter/path-as-key triggers[0].filter.payload["a.b"]',
      '10:14 filter/wildcard triggers[0].filter.payload.c.d',
      '11:14 filter/mixed-types triggers[0].filter.payload.c.e',
      '12:11 filter/path-as-key triggers[0].filter.payload.c["$.f"]',
    ],
    /nest: a: \{b: …\}/,
  ),
  front(
    'a trigger that is repeated, with its lists in another order',
    automation({
      trigger:
        'filter: {webhooks: [ci], payload: {a: [1, 2], b: [x]}}\n  - {provider: factory, cron: x}\n  - provider: webhook\n    event: received\n    filter: {webhooks: [ci, ci], payload: {b: {in: [x]}, a: [2, 1, 1]}}',
    }),
    ['7:5 automation/repeated-trigger triggers[2]'],
    /triggers\[0]/,
  ),
  {
    title: 'the same provider trigger twice, written differently',
    files: githubTriggers(
      '{labels: [Bug, ui], repos: {in: [acme/api]}}',
      '{labels: {in: [ui, bug, BUG], not_in: []}, assignees: null, repos: [ACME/api]}',
    ),
    findings: [
      'automations/a/automation.md:4:5 automation/repeated-trigger triggers[1]',
      'automations/a/automation.md:4:92 automation/empty-filter triggers[1].filter.labels.not_in',
    ],
    says: /identical to triggers\[0].*another event or filter/s,
  },
  {
    title: 'a provider trigger for a list of labels and one for all others',
    files: githubTriggers('{labels: [bug], repos: [acme/api]}', '{labels: {not_in: [bug]}, repos: [acme/api]}'),
    findings: [],
  },
  {
    title: 'what is off by default, where the factory wants it',
    files: {
      ...CI,
      'factory.yaml':
        'schemaVersion: v1alpha1\nname: f\nlint: {webhook/no-delivery-id: error, webhook/unheard: warning}\n',
      'webhooks/off.yaml': 'secretName: A\nenabled: false\ndeliveryIdHeader: X-Id\n',
    },
    findings: ['webhooks/ci.yaml:1:1 webhook/no-delivery-id deliveryIdHeader', 'webhooks/ci.yaml:1:1 webhook/unheard '],
  },
  {
    title: 'an automation that only a disabled webhook could start',
    files: { 'webhooks/ci.yaml': 'secretName: A\nenabled: false\n', 'automations/a/automation.md': automation() },
    findings: ['automations/a/automation.md:2:1 automation/unreachable triggers'],
  },
  {
    title: 'the same by the UID of a disabled webhook',
    files: {
      'webhooks/ci.yaml': 'secretName: A\nenabled: false\n',
      'automations/a/automation.md': automation({ trigger: `filter: {webhook_ids: [${UID}]}` }),
    },
    knownUids: { ci: UID },
    findings: ['automations/a/automation.md:2:1 automation/unreachable triggers'],
  },
  {
    title: 'two automations with one common webhook and filter, and others',
    files: {
      ...CI,
      'webhooks/cd.yaml': 'secretName: CD_SECRET\n',
      'automations/a/automation.md': automation({ trigger: 'filter: {webhooks: [ci], payload: {x: [1]}}' }),
      'automations/b/automation.md': automation({
        trigger:
          'filter: {webhooks: [cd]}\n  - provider: webhook\n    event: received\n    filter: {webhooks: [cd, ci], payload: {x: {in: [1]}}}',
      }),
      'automations/c/automation.md': automation({ trigger: 'filter: {webhooks: [cd, ci], payload: {x: [2]}}' }),
      'automations/d/automation.md': automation({ keys: 'enabled: false\n', trigger: 'filter: {webhooks: [cd]}' }),
    },
    findings: ['automations/b/automation.md:2:1 automation/same-trigger triggers'],
    says: /^The automation "a" also has the webhook "ci" with the same filter/,
  },
  {
    title: 'two automations alike, by name and by UID, with keys in another order',
    files: {
      ...CI,
      'automations/a/automation.md': automation({
        trigger: 'filter: {webhooks: [ci], payload: {x: [1], y: {z: [2]}}}',
      }),
      'automations/b/automation.md': automation({
        trigger: `filter: {webhook_ids: [${UID}], payload: {y: {z: [2]}, x: [1]}}`,
      }),
      'automations/c/automation.md': automation({ trigger: 'filter: {webhooks: [ci], payload: {x: [1]}}' }),
    },
    knownUids: { ci: UID },
    findings: ['automations/b/automation.md:2:1 automation/same-trigger triggers'],
  },
];

describe('validateTree', () => {
  it.each(CASES)('reports $title', ({ files, knownUids, findings, says }) => {
    const { diagnostics, definition } = validateFiles(files, { knownUids });
    expect(diagnostics.map((d) => `${d.file}:${d.line}:${d.column} ${d.rule} ${d.path}`)).toEqual(findings);
    for (const { message, hint } of diagnostics) expect([message, hint]).not.toContain('');
    if (says) expect(`${diagnostics[0]!.message} ${diagnostics[0]!.hint}`).toMatch(says);
    expect(definition === null).toBe(diagnostics.some(({ severity }) => severity === 'error'));
  });

  it('has a case above for every rule, except those of filters and those that a tree alone cannot break', () => {
    const reported = new Set(
      CASES.flatMap(({ files, knownUids }) => validateFiles(files, { knownUids }).diagnostics.map((d) => d.rule)),
    );
    // Those of samples have their cases in check-samples.test.ts.
    const missing = Object.keys(RULES).filter((rule) => !reported.has(rule) && !rule.startsWith('sample/'));
    const list = (kind: string, names: string[]) => names.map((what) => `${kind}/${what}`);
    expect(missing.filter((rule) => !(rule in PATTERN_RULES))).toEqual([
      // Tested in test/integration/cli.offline-commands.test.ts.
      'tree/similar-folder',
      'tree/odd-name',
      'tree/too-large',
      // Tested in check/agent-files.test.ts, as the names of agents and runners.
      'tree/omitted-file',
      'file/too-slow',
      ...list('webhook', ['empty-secret', 'unsafe-secret', 'unsendable-secret', 'unusable-secret', 'weak-secret']),
      // Tested in check/check-schedules.test.ts.
      ...list('automation', [
        'invalid-schedule',
        'uneven-step',
        'unknown-uid',
        'missing-run-secret',
        'unknown-agent',
        'unknown-runner',
      ]),
      'secret/missing',
      'filter/unseen-key',
    ]);
  });

  it('lists the first 100 names that cannot be used, with other findings', () => {
    const unusable = Array.from({ length: 102 }, (_, i) => ({ file: `webhooks/a\\t${i}`, message: `Name ${i}.` }));
    const tree = { ...createTree({ 'webhooks/b.yaml': 'x: 1\n' }), unusable };
    const { diagnostics, definition } = validateTree(tree, { webhooksPerFactory: 20, knownUids: new Map() });
    const unsupported = diagnostics.filter(({ rule }) => rule === 'tree/odd-name');
    expect([unsupported.length, definition]).toEqual([101, null]);
    expect(unsupported.find(({ file }) => file === 'webhooks/a\\t100')?.message).toMatch(/^2 more names/);
    expect(diagnostics.some(({ file }) => file === 'webhooks/b.yaml')).toBe(true);
    const none = validateTree(
      { prefix: '', entries: [], unusable: unusable.slice(0, 1) },
      { webhooksPerFactory: 20, knownUids: new Map() },
    );
    expect(none.diagnostics.map(({ rule }) => rule)).toEqual(['tree/odd-name']);
  });

  it('fills in the defaults of a webhook', () => {
    const { definition, diagnostics } = validateFiles(
      { 'webhooks/a.b-c_1.yaml': '# note\nsecretName: A\n' },
      { prefix: 'sub/' },
    );
    expect(diagnostics).toEqual([]);
    expect(definition?.webhooks).toEqual([
      {
        name: 'a.b-c_1',
        file: 'sub/webhooks/a.b-c_1.yaml',
        description: null,
        authMode: 'token',
        signatureScheme: null,
        signature: null,
        secretName: 'A',
        deliveryIdHeader: null,
        bodyFormat: 'json',
        formField: null,
        deduplicate: true,
        deliveryIdPath: null,
        expectEvery: null,
        event: null,
        recordHeaders: [],
        serves: null,
        names: null,
        botUsername: null,
        ignoreActors: [],
        rotationOverlap: '0s',
        enabled: true,
        secretNameAt: { line: 2, column: 13 },
        verifyTokenSecretName: null,
        verifyTokenSecretNameAt: null,
      },
    ]);
  });

  it('reads every key of a webhook, with byte order mark, carriage returns and comments', () => {
    const text =
      '\ufeffauthMode: signature\r\nsignatureScheme: stripe\r\nsecretName: S\r\ndeliveryIdHeader: X-Id # c\r\nenabled: false\r\ndescription: ä\r\n';
    const { definition } = validateFiles({ 'webhooks/x.yaml': text });
    expect(definition?.webhooks[0]).toMatchObject({
      authMode: 'signature',
      signatureScheme: 'stripe',
      signature: null,
      secretName: 'S',
      deliveryIdHeader: 'X-Id',
      enabled: false,
      description: 'ä',
      secretNameAt: { line: 3, column: 13 },
    });
  });

  it('reads names and accounts of a provider without white space and the characters in front of them', () => {
    const names = 'names: {channels: {" #triage ": " C01 "}, users: {"@ann": U01, __proto__: U02}}';
    const keys = `serves: slack\n${names}\nignoreActors: [" @bot ", bot, "U 1"]\n`;
    const { definition, diagnostics } = validateFiles({ 'webhooks/x.yaml': `secretName: A\n${keys}` });
    expect(diagnostics).toEqual([]);
    const [webhook] = definition!.webhooks;
    expect(webhook).toMatchObject({ serves: 'slack', botUsername: null, ignoreActors: ['bot', 'U 1'] });
    expect(JSON.stringify(webhook!.names)).toBe(
      '{"channels":{"triage":"C01"},"users":{"ann":"U01","__proto__":"U02"}}',
    );
  });

  it.each(SCHEME_NAMES)('accepts the scheme %s', (scheme) => {
    const text = `authMode: signature\nsignatureScheme: ${scheme}\nsecretName: S\n`;
    expect(validateFiles({ 'webhooks/x.yaml': text }).diagnostics).toEqual([]);
  });

  it('fills in the defaults of an automation and keeps the prompt byte for byte', () => {
    const prompt = ' Look.\r\n\n---\n\ttitle: no front matter\n---\n\n';
    const { definition } = validateFiles({ ...CI, 'automations/a/automation.md': automation({ prompt }) });
    expect(definition?.automations).toEqual([
      {
        name: 'a',
        file: 'automations/a/automation.md',
        description: null,
        enabled: true,
        agent: null,
        triggers: [
          {
            provider: 'webhook',
            event: 'received',
            webhookIds: [],
            webhooks: ['ci'],
            payload: null,
            at: { line: 5, column: 14 },
          },
        ],
        prompt,
        overrides: {},
        ...NO_POLICY,
        places: new Map(),
      },
    ]);
  });

  it('reads every key of an automation and hands overrides on as they are', () => {
    const keys =
      'description: d\nenabled: false\nagent: triage\nmodel: m\nharness: {name: h}\nrunner: r\nenvironmentId: 7\nsecrets: [A, B]\nmcpServers: [x, {y: 1}]\nworkerHost: w\n';
    const trigger = `filter: {webhook_ids: {in: [${UID}]}, webhooks: [ci], payload: {1: [true, null], a: {b: [1]}}}\n  - provider: factory\n    cron: "* * * * *"`;
    const { definition, diagnostics } = validateFiles({
      ...CI,
      'automations/a/automation.md': automation({ keys, trigger }),
    });
    expect(diagnostics).toEqual([]);
    expect(definition?.automations[0]).toMatchObject({
      description: 'd',
      enabled: false,
      agent: 'triage',
      triggers: [
        { webhookIds: [UID], webhooks: ['ci'], payload: { '1': [true, null], a: { b: [1] } } },
        { provider: 'factory', declared: { provider: 'factory', cron: '* * * * *' } },
      ],
      overrides: {
        model: 'm',
        harness: { name: 'h' },
        runner: 'r',
        environmentId: 7,
        secrets: ['A', 'B'],
        mcpServers: ['x', { y: 1 }],
        workerHost: 'w',
      },
    });
    expect([...definition!.automations[0]!.places].map(([path, at]) => `${path} ${at.line}:${at.column}`)).toEqual([
      'secrets[0] 15:11',
      'secrets[1] 15:14',
      'triggers[0].filter.webhook_ids[0] 5:33',
      'triggers[0].filter.payload["1"] 5:92',
      'triggers[0].filter.payload.a 5:109',
      'triggers[0].filter.payload.a.b 5:113',
      'triggers[1] 6:5',
    ]);
  });

  it.each(['github, event: push', 'linear, event: issue_created', 'factory'])(
    'accepts other keys of a trigger of %s',
    (provider) => {
      const text = `---\ntriggers:\n  - {provider: ${provider}, anything: {at: [all]}}\n---\nDo it.\n`;
      const { diagnostics } = validateFiles({ 'automations/a/automation.md': text });
      // No webhook of the tree serves it.
      expect(diagnostics.filter(({ rule }) => rule !== 'automation/not-served')).toEqual([]);
    },
  );

  it.each([100, 1])('accepts %d aliases', (count) => {
    const keys = `mcpServers:\n  - &a x\n  - [${'*a, '.repeat(count)}]\n`;
    expect(validateFiles({ ...CI, 'automations/a/automation.md': automation({ keys }) }).diagnostics).toEqual([]);
  });

  it('accepts 64 levels', () => {
    const keys = `mcpServers: ${'['.repeat(63)}${']'.repeat(63)}\n`;
    expect(validateFiles({ ...CI, 'automations/a/automation.md': automation({ keys }) }).diagnostics).toEqual([]);
  });

  it('follows merge keys', () => {
    const text =
      '---\ntriggers:\n  - &t\n    provider: webhook\n    event: received\n    filter: {webhooks: [ci]}\n  - <<: *t\n    filter: {webhooks: [ci], payload: {a: [1]}}\n---\nDo it.\n';
    const { definition, diagnostics } = validateFiles({ ...CI, 'automations/a/automation.md': text });
    expect(diagnostics).toEqual([]);
    expect(definition?.automations[0]?.triggers[1]).toMatchObject({ event: 'received', payload: { a: [1] } });
  });

  it('allows a trigger with a disabled and an enabled webhook, and a disabled automation without webhooks', () => {
    const { diagnostics } = validateFiles({
      ...CI,
      'webhooks/off.yaml': 'secretName: A\nenabled: false\n',
      'automations/a/automation.md': automation({ trigger: 'filter: {webhooks: [ci, off]}' }),
      'automations/b/automation.md': automation({ keys: 'enabled: false\n', trigger: 'filter: {webhooks: [off]}' }),
    });
    expect(diagnostics).toEqual([]);
  });

  it('accepts an unknown UID: only the apply can tell whether it exists', () => {
    const text = automation({ trigger: `filter: {webhook_ids: [${UID}]}` });
    expect(validateFiles({ ...CI, 'automations/a/automation.md': text }).diagnostics).toEqual([]);
  });

  it('accepts a file of exactly 256 KiB and exactly 20 webhooks', () => {
    const files = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`webhooks/w${i}.yaml`, 'secretName: A']));
    const text = `secretName: A\n${'#'.repeat(262_144 - 14)}`;
    expect(validateFiles({ ...files, 'webhooks/w0.yaml': text }).diagnostics).toEqual([]);
  });

  it('ignores other paths of the factory', () => {
    const files = {
      'factory.yaml': 'schemaVersion: v1alpha1\nname: f\nagents: [x]\n',
      'skills/x.yaml': 'a: [',
      'runners/r.yml': '',
    };
    expect(validateFiles(files).definition).toEqual({ lint: {}, repositories: null, webhooks: [], automations: [] });
  });

  it('never applies a definition in part', () => {
    const { definition, declared } = validateFiles({ ...CI, 'webhooks/bad.yaml': 'x: 1\n' });
    expect(definition).toBeNull();
    expect(declared.webhooks).toEqual(['bad', 'ci']);
  });

  it('puts the folder of the factory before every path and sorts the findings', () => {
    const { diagnostics } = validateFiles(
      { 'webhooks/b.yaml': 'b: 1\na: 2\n', 'webhooks/a.yml': '', 'automations/x.md': '' },
      { prefix: 'team/factory/' },
    );
    expect(diagnostics.every(({ file }) => file.startsWith('team/factory/'))).toBe(true);
    expect(diagnostics).toEqual([...diagnostics].sort(compareDiagnostics));
  });

  it('omits rules that the factory turned off, and rejects the tree for rules that it raised to errors', () => {
    const files = {
      ...CI,
      'webhooks/notes.txt': '',
      'automations/empty/x.txt': '',
      'automations/a/automation.md': automation({ prompt: 'Follow the instructions in the payload.\n' }),
      'automations/b/automation.md': automation(),
    };
    const validate = (lint: string) =>
      validateFiles({ ...files, 'factory.yaml': `schemaVersion: v1alpha1\nname: f\nlint: {${lint}}\n` });
    const found = validate('').diagnostics.map(({ rule }) => rule);
    expect(found).toEqual([
      'automation/obeys-payload',
      'automation/same-trigger',
      'automation/no-file',
      'webhook/ignored-file',
    ]);
    expect(validate(found.map((rule) => `${rule}: off`).join(', '))).toMatchObject({
      diagnostics: [],
      definition: { lint: { 'webhook/ignored-file': 'off' } },
    });
    for (const rule of found) {
      const raised = validate(`${rule}: error`);
      expect(raised.definition, rule).toBeNull();
      expect(raised.diagnostics.filter(({ severity }) => severity === 'error').map((d) => d.rule)).toEqual([rule]);
    }
  });

  it('keeps valid settings if another is invalid', () => {
    const lint = 'lint: {webhook/ignored-file: off, webhook/x: off}';
    const { diagnostics } = validateFiles({
      'webhooks/notes.txt': '',
      'factory.yaml': `schemaVersion: v1alpha1\nname: f\n${lint}\n`,
    });
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['factory/unknown-rule']);
  });

  it('does not report an unused webhook if an unknown UID may refer to it', () => {
    const files = {
      ...CI,
      'factory.yaml': 'schemaVersion: v1alpha1\nname: f\nlint: {webhook/unheard: error}\n',
      'automations/a/automation.md': automation({ trigger: `filter: {webhook_ids: [${UID}]}` }),
    };
    expect(validateFiles(files).diagnostics).toEqual([]);
    const { diagnostics } = validateFiles(files, { knownUids: { other: UID } });
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['automation/unreachable', 'webhook/unheard']);
  });

  it('takes no number of warnings for an error, and counts those that are switched off not at all', () => {
    const keys = Array.from({ length: 60 }, (_, i) => `a.k${i}: [1]`).join(', ');
    const trigger = (webhook: string) =>
      `  - {provider: webhook, event: received, filter: {webhooks: [${webhook}], payload: {${keys}}}}\n`;
    const files = {
      ...CI,
      'webhooks/b.yaml': 'secretName: B\n',
      'automations/a/automation.md': `---\ntriggers:\n${trigger('ci')}${trigger('b')}---\nDo it.\n`,
    };
    const { diagnostics, definition } = validateFiles(files);
    expect(diagnostics.at(-1)).toMatchObject({ rule: 'filter/path-as-key', severity: 'warning' });
    expect(diagnostics.filter(({ rule }) => rule === 'file/too-many-findings')).toMatchObject([
      { severity: 'warning', message: '20 more problems are not listed.' },
    ]);
    expect(definition).not.toBeNull();
    const lint = { 'factory.yaml': 'schemaVersion: v1alpha1\nname: f\nlint: {filter/path-as-key: off}\n' };
    expect(validateFiles({ ...files, ...lint }).diagnostics).toEqual([]);
  });

  it('lists only the first problem of each file after 5,000 of a tree, and counts all others', () => {
    const names = Array.from({ length: 150 }, (_, i) => `unknown-${i}`);
    const text = automation({ trigger: `filter: {webhooks: [${names}]}` });
    const files = Array.from({ length: 60 }, (_, i) => [`automations/a${100 + i}/automation.md`, text]);
    const { diagnostics, definition } = validateFiles({ ...CI, ...Object.fromEntries(files) });
    expect(definition).toBeNull();
    const counts = files.map(([file]) => {
      const found = diagnostics.filter((diagnostic) => diagnostic.file === file);
      const rest = found.find(({ rule }) => rule === 'file/too-many-findings');
      return [found.length - 1, rest?.severity, Number.parseInt(rest?.message ?? '', 10)];
    });
    expect(counts).toEqual([...Array(50).fill([100, 'error', 50]), ...Array(10).fill([1, 'error', 149])]);
  });

  it('does not check the signature block of a webhook with an error, also if only the factory rates it as one', () => {
    const signed = 'authMode: signature\nsecretName: A\nsignatureScheme: custom\nsignature: {header: X-S}\n';
    const file = { 'webhooks/x.yaml': `# dbs_${'aB3-'.repeat(11)}\n${signed}` };
    const rules = (lint: string) => {
      const factory = `schemaVersion: v1alpha1\nname: f\nlint: {${lint}}\n`;
      const { diagnostics } = validateFiles({ ...file, 'factory.yaml': factory });
      return diagnostics.map(({ rule, severity }) => `${severity} ${rule}`);
    };
    const [exposed, weak] = ['file/exposed-secret', 'webhook/weak-signature'];
    expect(rules('')).toEqual([`warning ${exposed}`, `warning ${weak}`]);
    expect(rules(`${exposed}: error`)).toEqual([`error ${exposed}`]);
    const identity = 'webhook/no-delivery-id';
    expect(rules(`${identity}: warning`)).toEqual([`warning ${exposed}`, `warning ${identity}`, `warning ${weak}`]);
    expect(rules(`${identity}: warning, ${weak}: error`)).toEqual([`warning ${exposed}`, `error ${weak}`]);
  });

  it('shows neither a credential that it found nor its line', () => {
    const text = automation({ prompt: `Follow the instructions in the payload. dbs_${'aB3-'.repeat(11)}\n` });
    const { diagnostics } = validateFiles({ ...CI, 'automations/a/automation.md': text });
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['automation/obeys-payload', 'file/exposed-secret']);
    expect(JSON.stringify(diagnostics)).not.toContain('aB3');
    const sources = new Map([[diagnostics[0]!.file, text]]);
    expect(formatPretty(diagnostics, { sources, color: false })).not.toContain('aB3');
  });

  it('never echoes what stands for a secret name', () => {
    const { diagnostics } = validateFiles({ 'webhooks/x.yaml': 'secretName: "hunter2 hunter2"\n' });
    expect(JSON.stringify(diagnostics)).not.toContain('hunter2');
  });

  it('says how large a file is that was not read', () => {
    const tree = createTree({ 'webhooks/x.yaml': '' });
    Object.assign(tree.entries[0]!, { size: 10_485_760, bytes: null });
    const { diagnostics } = validateTree(tree, { webhooksPerFactory: 20, knownUids: new Map() });
    expect(diagnostics[0]).toMatchObject({ rule: 'file/too-large', file: 'webhooks/x.yaml', line: 1, column: 1 });
    expect(diagnostics[0]!.message).toContain('10485760');
  });
});
