import type { ConnectionPlan, Webhook } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { TRIGGER_PROVIDERS } from '../../definitions/triggers/providers.ts';
import { servedProvider } from '../../definitions/triggers/served-provider.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { findWebhook, listWebhooks, WEBHOOK_ARGUMENT } from '../find/find-webhook.ts';
import { type ConfirmOptions, confirm } from '../input/confirm.ts';
import { printConnection } from '../output/print-connection.ts';

const TOKEN_VARIABLE = 'DOCKBELL_CONNECT_TOKEN';

interface ConnectOptions extends ConfirmOptions {
  webhook?: string;
  check?: boolean;
  sendSecret?: boolean;
  apiUrl?: string;
}

/** What differs between the providers on the command line. */
interface Provider {
  name: ConnectionPlan['provider'];
  target: string;
  apiUrl: string;
  examples: readonly (readonly [string, string])[];
  needs: string;
}

const PROVIDERS: readonly Provider[] = [
  {
    name: 'github',
    target: 'a repository as ORG/REPO, or an organization as ORG',
    apiUrl: 'for GitHub Enterprise Server, such as https://HOST/api/v3',
    examples: [
      ['dockbell connect github acme/api', 'show the difference, and make it after a confirmation'],
      [
        'dockbell connect github acme --check',
        'for pipelines: does the webhook of the organization have what it needs?',
      ],
    ],
    needs: 'the scope admin:repo_hook, or admin:org_hook for an organization',
  },
  {
    name: 'gitlab',
    target: 'the path of a project or a group',
    apiUrl: 'for a self-managed GitLab, such as https://HOST/api/v4',
    examples: [
      ['dockbell connect gitlab acme/api', 'show the difference, and make it after a confirmation'],
      ['dockbell connect gitlab acme --webhook gitlab-acme --yes', 'the webhook of a group, if several serve GitLab'],
    ],
    needs: 'the scope api, and the role Maintainer of the project or Owner of the group',
  },
  {
    name: 'linear',
    target: 'the key of a team, such as ENG, or all for all public teams',
    apiUrl: 'for tests and proxies',
    examples: [
      ['dockbell connect linear ENG', 'show the difference, and make it after a confirmation'],
      ['dockbell connect linear all --check', 'compare the webhook of all public teams'],
    ],
    needs: 'the permissions of a workspace admin',
  },
];

/** `dockbell connect …`: the webhooks at providers. */
export function declareConnect(connect: CliCommand, bind: Bind): void {
  for (const provider of PROVIDERS) declareProvider(connect, bind, provider);
}

function declareProvider(connect: CliCommand, bind: Bind, provider: Provider): void {
  const { name, target, apiUrl, examples, needs } = provider;
  const { title } = TRIGGER_PROVIDERS.get(name)!;
  connect
    .command(name)
    .argument('<target>', target)
    .description(`create or change the webhook at ${title} that posts to a webhook of the factory`)
    .option('--webhook <name>', `${WEBHOOK_ARGUMENT}. Default: the only one that serves ${title}`)
    .option('--check', 'compare, and change nothing')
    .option('--send-secret', 'send the secret even if nothing else differs, for example after a rotation')
    .option('--api-url <url>', `base URL of the API, ${apiUrl}; needs the role owner`)
    .option('-y, --yes', 'do not ask for confirmation; required if standard input is not a terminal')
    .withJson()
    .explain({
      negative: 'the webhook differs from what the factory needs, and the command does not change it',
      examples,
      more: `The token of ${title} is read from ${TOKEN_VARIABLE}. It needs ${needs}. The daemon uses it for this command only, and sends ${title} the signing secret.`,
    })
    .action(bind((session, options: ConnectOptions, given: string) => connectTo(session, provider, options, given)));
}

async function connectTo(
  session: CommandSession,
  provider: Provider,
  options: ConnectOptions,
  target: string,
): Promise<number> {
  const { title } = TRIGGER_PROVIDERS.get(provider.name)!;
  const token = session.context.env[TOKEN_VARIABLE];
  if (!token)
    throw new CliError(`${TOKEN_VARIABLE} is not set.`, {
      code: 'unauthorized',
      hint: `Set it to a token of ${title}.`,
    });
  const { factory, uid, name } = await chooseWebhook(session, provider, options.webhook);
  const api = await session.api();
  const params = { path: { factory, uid } };
  const body = {
    provider: provider.name,
    target,
    token,
    send_secret: options.sendSecret === true,
    ...(options.apiUrl === undefined ? {} : { api_url: options.apiUrl }),
  };
  const path = '/api/v1/factories/{factory}/webhooks/{uid}/connection/plan';
  const plan = await readAnswer(api.POST(path, { params, body }));
  if (!options.json) printConnection(session.output, plan, { title, webhook: name });
  if (options.check || plan.action === 'none') return endUnchanged(session, options, plan);
  await requireYes(session, options, plan, title);
  const changed = await readAnswer(
    api.POST('/api/v1/factories/{factory}/webhooks/{uid}/connection', {
      params,
      body: { ...body, digest: plan.digest },
    }),
  );
  if (options.json) session.output.json({ applied: true, ...changed });
  else session.output.line(`${changed.action === 'create' ? 'Created' : 'Changed'} webhook ${changed.hook}.`);
  return isLeft(changed) ? EXIT_CODES.negative : EXIT_CODES.done;
}

/** Is something left that only a person can change? */
function isLeft({ fields }: ConnectionPlan): boolean {
  return fields.some(({ state }) => state === 'manual');
}

function endUnchanged(session: CommandSession, { json, check }: ConnectOptions, plan: ConnectionPlan): number {
  if (json) session.output.json({ applied: false, ...plan });
  else if (plan.in_sync) session.output.line('Nothing to change.');
  else if (check && plan.action !== 'none')
    session.output.line('The webhook differs. Without --check, the command changes it.');
  return plan.in_sync ? EXIT_CODES.done : EXIT_CODES.negative;
}

async function requireYes(
  session: CommandSession,
  options: ConnectOptions,
  { action, hook, target }: ConnectionPlan,
  title: string,
): Promise<void> {
  if (!options.yes && session.context.stdin.isTTY !== true) {
    throw new CliError('Standard input is not a terminal, so nothing was changed.', {
      hint: 'Add --yes to make the change.',
    });
  }
  const what = action === 'create' ? 'Create a webhook' : `Change webhook ${hook}`;
  await confirm(session, options, { action: `${what} at ${title} ${target}`, effects: [] });
}

async function chooseWebhook(session: CommandSession, { name }: Provider, named: string | undefined): Promise<Webhook> {
  if (named !== undefined) return findWebhook(session, named);
  const { title, schemes } = TRIGGER_PROVIDERS.get(name)!;
  const webhooks = await listWebhooks(session);
  const serving = webhooks.filter(
    ({ serves, signature_scheme: signatureScheme }) => servedProvider({ serves, signatureScheme }) === name,
  );
  const [only, ...others] = serving;
  const factory = escapeText(await session.factory());
  if (only === undefined) {
    throw new CliError(`No webhook of the factory ${factory} serves ${title}.`, {
      code: 'not_found',
      hint: `Add webhooks/${name}.yaml with authMode: signature, signatureScheme: ${schemes[0]} and secretName.`,
    });
  }
  if (others.length === 0) return only;
  throw new CliError(`${serving.length} webhooks of the factory ${factory} serve ${title}.`, {
    code: 'ambiguous',
    hint: `Add --webhook with one of: ${serving.map((one) => escapeText(one.name)).join(', ')}.`,
  });
}
