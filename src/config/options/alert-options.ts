import { ALERT_RULES, type AlertRule } from '../../domain/messages/alert-rules.ts';

type Rules = typeof ALERT_RULES;

/** The options of the rules: one row for each. */
type RuleOptions = {
  readonly [Rule in AlertRule as `alerts.rules.${Rule}`]: {
    readonly title: Rules[Rule]['title'];
    readonly type: Rules[Rule]['setting'];
    readonly default: 'on' | 'off';
    readonly description: string;
    readonly examples: readonly (string | number)[];
    readonly env: null;
    readonly secret: false;
  };
};

const RULE_OPTIONS = Object.fromEntries(
  (Object.keys(ALERT_RULES) as AlertRule[]).map((rule) => {
    const { title, setting, default: fallback, opens, ends } = ALERT_RULES[rule];
    const description = `${opens} Ends: ${ends.charAt(0).toLowerCase()}${ends.slice(1)}`;
    const examples = [fallback, fallback === 'on' ? 'off' : 'on'];
    return [
      `alerts.rules.${rule}`,
      { title, type: setting, default: fallback, description, examples, env: null, secret: false },
    ];
  }),
) as unknown as RuleOptions;

/** Options of alerts. They are part of the table of options. */
export const ALERT_OPTIONS = {
  'alerts.interval': {
    title: 'Interval',
    type: { kind: 'duration', min: '1s', max: '1h' },
    default: '30s',
    description:
      'Interval in which the rules are evaluated. Ends of reconciliations and runs are evaluated immediately.',
    examples: ['30s', '1m'],
    env: null,
    secret: false,
  },
  'alerts.groupWait': {
    title: 'Group wait',
    type: { kind: 'duration', min: '0s', max: '1h' },
    default: '30s',
    description:
      'Time between an alert and the message about it. All alerts that open or end in this time are in one message.',
    examples: ['30s', '5m'],
    env: null,
    secret: false,
  },
  'alerts.repeatInterval': {
    title: 'Repeat interval',
    type: { kind: 'duration', min: '1s', max: '30d' },
    default: '4h',
    description: 'Interval in which the message about an open alert is repeated until somebody acknowledges the alert.',
    examples: ['4h', '24h'],
    env: null,
    secret: false,
  },
  'alerts.resolveAfter': {
    title: 'Resolve after',
    type: { kind: 'duration', min: '0s', max: '24h' },
    default: '2m',
    description:
      'Time after which an alert is resolved when its cause has ended. If the cause returns earlier, the alert stays open, and no message is sent.',
    examples: ['2m', '30m'],
    env: null,
    secret: false,
  },
  ...RULE_OPTIONS,
  'alerts.targets[].name': {
    title: 'Target name',
    type: { kind: 'text', format: 'factoryName' },
    default: null,
    required: true,
    description: 'Unique name of the target. A target with a new name is a new target.',
    examples: ['ops'],
    env: null,
    secret: false,
  },
  'alerts.targets[].type': {
    title: 'Target type',
    type: { kind: 'choice', values: ['webhook', 'slack', 'email'] },
    default: null,
    required: true,
    description:
      '`webhook`: a POST that is signed according to Standard Webhooks. `slack`: a message to an incoming webhook of Slack, Mattermost or another service that takes the same. `email`: a mail over SMTP.',
    examples: ['webhook'],
    env: null,
    secret: false,
  },
  'alerts.targets[].rules': {
    title: 'Rules of the target',
    type: { kind: 'list', format: 'alertRule' },
    default: null,
    description: 'Names of the rules whose alerts the target gets. Default: all.',
    examples: [['applyFailed', 'probe']],
    env: null,
    secret: false,
  },
  'alerts.targets[].factories': {
    title: 'Factories of the target',
    type: { kind: 'list', format: 'factoryName' },
    default: null,
    description:
      'Names of the factories whose alerts the target gets. Alerts about the installation, such as disk, go only to targets without this key. Default: all.',
    examples: [['payments']],
    env: null,
    secret: false,
  },
  'alerts.targets[].url': {
    title: 'Target URL',
    type: { kind: 'text', format: 'httpUrl' },
    default: null,
    description:
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it shows what to write
      'URL to which `webhook` and `slack` post. It must use https, unless `allowPrivateAddresses` is true. The URL of an incoming webhook is a credential: write `${NAME}`, or use `urlSecretName`.',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it shows what to write
    examples: ['https://alerts.example.com/dockbell', '${SLACK_WEBHOOK_URL}'],
    env: null,
    secret: true,
  },
  'alerts.targets[].urlSecretName': {
    title: 'Secret with the URL',
    type: { kind: 'text', format: 'secretName' },
    default: null,
    description: 'Name of the team secret that contains the URL, instead of `url`.',
    examples: ['SLACK_WEBHOOK_URL'],
    env: null,
    secret: false,
  },
  'alerts.targets[].secretName': {
    title: 'Target secret',
    type: { kind: 'text', format: 'secretName' },
    default: null,
    description:
      'Name of the team secret that signs the messages of `webhook` (`whsec_...`, required there), or that contains the SMTP password of `email`.',
    examples: ['ALERTS'],
    env: null,
    secret: false,
  },
  'alerts.targets[].allowPrivateAddresses': {
    title: 'Allow private addresses',
    type: { kind: 'boolean' },
    default: false,
    description:
      'Whether the URL may lead to a private, loopback or reserved address. Each address is checked when Dockbell connects to it. With true, http is allowed to these addresses. The default is false, because the URL can be a team secret, which the API can change.',
    examples: [true],
    env: null,
    secret: false,
  },
  'alerts.targets[].host': {
    title: 'SMTP server',
    type: { kind: 'text', format: 'listenHost' },
    onlyWith: 'email',
    default: null,
    required: true,
    description: 'Host name of the SMTP server.',
    examples: ['smtp.example.com'],
    env: null,
    secret: false,
  },
  'alerts.targets[].port': {
    title: 'SMTP port',
    type: { kind: 'integer', min: 1, max: 65_535 },
    onlyWith: 'email',
    default: 587,
    description: 'Port of the SMTP server.',
    examples: [587, 465],
    env: null,
    secret: false,
  },
  'alerts.targets[].security': {
    title: 'SMTP encryption',
    type: { kind: 'choice', values: ['starttls', 'tls', 'none'] },
    onlyWith: 'email',
    default: 'starttls',
    description:
      '`starttls`: the connection must be upgraded, usually on port 587. `tls`: encrypted from the start, usually on port 465. `none`: plain text, only for a server on this machine or in a private network; no password is sent.',
    examples: ['starttls', 'tls'],
    env: null,
    secret: false,
  },
  'alerts.targets[].username': {
    title: 'SMTP user',
    type: { kind: 'text', format: 'visibleText' },
    onlyWith: 'email',
    default: null,
    description: 'User name at the SMTP server. Requires `secretName`. Default: no authentication.',
    examples: ['dockbell@example.com'],
    env: null,
    secret: false,
  },
  'alerts.targets[].from': {
    title: 'Sender',
    type: { kind: 'text', format: 'mailAddress' },
    onlyWith: 'email',
    default: null,
    required: true,
    description: 'Mail address of the sender.',
    examples: ['dockbell@example.com'],
    env: null,
    secret: false,
  },
  'alerts.targets[].to': {
    title: 'Recipients',
    type: { kind: 'list', format: 'mailAddress' },
    onlyWith: 'email',
    default: null,
    required: true,
    description: 'Mail addresses of the recipients, at most 50.',
    examples: [['ops@example.com']],
    env: null,
    secret: false,
  },
} as const;

/** Names of the options of alerts, as a reload names them. */
export const ALERT_OPTION_NAMES: readonly string[] = [
  ...new Set(Object.keys(ALERT_OPTIONS).map((key) => key.split('[]')[0]!)),
];
