import { Option } from 'commander';
import { escapeText } from '../../core/escape-text.ts';
import { CUSTOM } from '../../signature/custom-scheme.ts';
import { diagnoseRequest } from '../../signature/diagnose.ts';
import { BEARER } from '../../signature/mistakes/scheme-mistakes.ts';
import { resolveScheme } from '../../signature/resolve-scheme.ts';
import type { Scheme } from '../../signature/scheme.ts';
import { SCHEME_NAMES } from '../../signature/schemes.ts';
import type { Diagnosis } from '../api-types.ts';
import type { CliCommand } from '../cli-command.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { readCapturedRequest } from '../read-captured-request.ts';
import { readInput } from '../read-input.ts';
import { decodeSecretText, readSecretValue, requireNotEmpty } from '../read-secret-value.ts';
import { readSignature } from '../read-signature.ts';
import type { Bind, Session } from '../session.ts';

interface DiagnoseOptions {
  request?: string;
  scheme?: string;
  signature?: string;
  secretFile?: string;
  secretStdin?: boolean;
  to?: string;
  json?: boolean;
}

/** `dockbell diagnose`: which usual mistake a rejected delivery comes from. */
export function registerDiagnoseCommand(program: CliCommand, bind: Bind): void {
  program
    .command('diagnose')
    .argument('[id]', 'ID of a rejected delivery (dlv_…), which the daemon judges')
    .description('why was a delivery rejected? Tries the usual mistakes and names the one it was, with what to do')
    .option('--request <file>', 'judge a captured request here, without a daemon; - for standard input')
    .addOption(
      new Option('--scheme <scheme>', 'with --request: signature scheme, or token for a bearer token').choices([
        BEARER.name,
        ...SCHEME_NAMES,
        CUSTOM,
      ]),
    )
    .option('--signature <json>', 'with --request: the signature block as JSON; @FILE for a file')
    .addOption(new Option('--secret-file <file>', 'with --request: the secret in this file').conflicts('secretStdin'))
    .option('--secret-stdin', 'with --request: the secret from standard input')
    .option('--to <url>', 'with --request: the URL that the sender was given, for schemes that sign it')
    .withJson('the diagnosis as JSON')
    .explain({
      negative: 'nothing explains the rejection',
      more:
        "The daemon judges by the request itself where 'dockbell webhook capture' kept it, else by the reason alone.\n" +
        'A request file is {"headers": {…}, "body": "…"} (or "body_base64", and "received_at" to judge the clock too), or the\n' +
        'text of an HTTP request.',
      examples: [
        ['dockbell diagnose dlv_01jd3v8k6n', 'ask the daemon'],
        [
          'dockbell diagnose --request request.json --scheme stripe --secret-file key',
          'judge a request without a daemon',
        ],
      ],
    })
    .action(bind(diagnose));
}

async function diagnose(session: Session, options: DiagnoseOptions, id: string | undefined): Promise<number> {
  checkUsage(options, id);
  const diagnosis = id === undefined ? await judgeFile(session, options) : await askDaemon(session, id);
  if (options.json) session.output.json(diagnosis);
  else printDiagnosis(session, diagnosis);
  return diagnosis.mistake === null ? EXIT_CODES.negative : EXIT_CODES.done;
}

function checkUsage(options: DiagnoseOptions, id: string | undefined): void {
  const { request, scheme, signature, secretFile, secretStdin, to } = options;
  if ((id === undefined) === (request === undefined)) {
    throw new CliError('Name what is diagnosed: either the ID of a delivery or --request FILE.');
  }
  const others = scheme ?? signature ?? secretFile ?? secretStdin ?? to;
  if (id !== undefined && others !== undefined) {
    throw new CliError(
      '--scheme, --signature, --to and the secret go with --request; of a delivery the daemon knows them.',
    );
  }
  if (id !== undefined) return;
  if (scheme === undefined) throw new CliError('--request needs --scheme.', { hint: 'Give token for a bearer token.' });
  if (secretFile === undefined && !secretStdin) {
    throw new CliError('--request needs the secret.', { hint: 'Give it with --secret-file or --secret-stdin.' });
  }
  if (secretStdin && request === '-') throw new CliError('Secret and request cannot both come from standard input.');
}

async function askDaemon(session: Session, id: string): Promise<Diagnosis> {
  const api = await session.api();
  return api.get<Diagnosis>(['deliveries', id, 'diagnosis']);
}

async function judgeFile(session: Session, options: DiagnoseOptions): Promise<Diagnosis> {
  const { context } = session;
  const scheme = await findScheme(session, options);
  const { headers, body, receivedAtMs } = readCapturedRequest(await readInput(context, options.request!));
  const text = await readSecret(session, options);
  const diagnosis = diagnoseRequest({
    ...{ scheme, headers, body, nowMs: receivedAtMs, publicUrl: options.to ?? null },
    secrets: [{ version: 1, text }],
  });
  if (diagnosis.ok) return { mistake: diagnosis.mistake, sentence: diagnosis.sentence, tried: [] };
  const sentence = 'None of the usual mistakes explains it: compare secret, scheme and body with those of the sender.';
  return { mistake: null, sentence, tried: diagnosis.tried };
}

async function findScheme(session: Session, { scheme: name, signature }: DiagnoseOptions): Promise<Scheme> {
  if (name === BEARER.name) return BEARER;
  const block = await readSignature(session.context, {
    scheme: name!,
    ...(signature === undefined ? {} : { signature }),
  });
  const scheme = resolveScheme(name!, block);
  if (scheme === null) throw new CliError(`--signature describes no scheme for ${name}.`);
  return scheme;
}

async function readSecret({ context }: Session, { secretFile }: DiagnoseOptions): Promise<string> {
  if (secretFile === undefined) return readSecretValue(context, 'Secret');
  return requireNotEmpty(decodeSecretText(await readInput(context, secretFile)));
}

function printDiagnosis({ output }: Session, { sentence, tried }: Diagnosis): void {
  output.line(escapeText(sentence));
  if (tried.length === 0) return;
  output.line();
  output.line('Tried in vain:');
  for (const one of tried) output.line(`- ${escapeText(one)}`);
}
