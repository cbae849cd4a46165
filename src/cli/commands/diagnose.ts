import { type KeyObject, X509Certificate } from 'node:crypto';
import { Option } from 'commander';
import type { Diagnosis } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { diagnoseRequest } from '../../definitions/signature/diagnose/diagnose-request.ts';
import { BEARER } from '../../definitions/signature/diagnose/scheme-mistakes.ts';
import type { Scheme } from '../../definitions/signature/scheme.ts';
import { resolveScheme } from '../../definitions/signature/schemes/resolve-scheme.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { DELIVERY_ARGUMENT, findDelivery } from '../find/find-delivery.ts';
import { readCapturedRequest } from '../input/read-captured-request.ts';
import { readInput } from '../input/read-input.ts';
import { decodeSecretText, readSecretValue, requireNotEmpty, requireSecretName } from '../input/read-secret-value.ts';
import { readSignature } from '../input/read-signature.ts';
import { schemeOption } from '../input/value-options.ts';

interface DiagnoseOptions {
  request?: string;
  scheme?: string;
  signature?: string;
  secret?: string;
  certificate?: string;
  secretFile?: string;
  secretStdin?: boolean;
  to?: string;
  json?: boolean;
}

/** `dockbell diagnose`: the common mistake that explains a rejected delivery. */
export function declareDiagnose(command: CliCommand, bind: Bind): void {
  command
    .argument('[id]', `${DELIVERY_ARGUMENT}. The daemon examines it`)
    .option('--request <file>', 'check a captured request in this file; - for standard input')
    .addOption(
      new Option(
        '--secret <name>',
        'with --request: name of a team secret; the daemon tries all its versions, with the scheme of its webhook',
      ).conflicts(['secretFile', 'secretStdin', 'signature', 'certificate']),
    )
    .addOption(
      schemeOption('--scheme <scheme>', 'with --request: signature scheme, or token for a bearer token', [BEARER.name]),
    )
    .option('--signature <json>', 'with --request: the signature block as JSON; @FILE for a file')
    .addOption(
      new Option('--secret-file <file>', 'with --request: the secret in this file, without a daemon').conflicts(
        'secretStdin',
      ),
    )
    .option('--secret-stdin', 'with --request: the secret from standard input, without a daemon')
    .option('--certificate <file>', 'with --scheme sns: the certificate at SigningCertURL, which is never fetched')
    .option('--to <url>', 'with --request: the URL that the sender uses, for schemes that sign it')
    .withJson('the diagnosis as JSON')
    .explain({
      negative: 'no common mistake explains the rejection',
      more:
        "The daemon checks the request itself if 'dockbell webhook capture' stored it. Otherwise it knows only the reason.\n" +
        'A request file is {"headers": {…}, "body": "…"} (or "body_base64", and "received_at" to check the clock too), or the\n' +
        'text of an HTTP request.',
      examples: [
        ['dockbell diagnose dlv_01jd3v8k6n', 'ask the daemon'],
        [
          'dockbell diagnose --request request.json --secret STRIPE_WEBHOOK_SECRET',
          'let the daemon check a request with its secret, which it does not reveal',
        ],
        [
          'dockbell diagnose --request request.json --scheme stripe --secret-file key',
          'check a request without a daemon',
        ],
      ],
    })
    .action(bind(diagnose));
}

async function diagnose(session: CommandSession, options: DiagnoseOptions, id: string | undefined): Promise<number> {
  checkUsage(options, id);
  const diagnosis = await findDiagnosis(session, options, id);
  if (options.json) session.output.json(diagnosis);
  else printDiagnosis(session, diagnosis);
  return diagnosis.mistake === null ? EXIT_CODES.negative : EXIT_CODES.done;
}

function findDiagnosis(session: CommandSession, options: DiagnoseOptions, id: string | undefined): Promise<Diagnosis> {
  if (id !== undefined) return askDaemon(session, id);
  return options.secret === undefined ? diagnoseFile(session, options) : uploadFile(session, options, options.secret);
}

function checkUsage(options: DiagnoseOptions, id: string | undefined): void {
  const { request, scheme, secret, signature, secretFile, secretStdin, to, certificate } = options;
  if ((id === undefined) === (request === undefined)) {
    throw new CliError('Specify either the ID of a delivery or --request FILE.');
  }
  const others = scheme ?? signature ?? secret ?? secretFile ?? secretStdin ?? to ?? certificate;
  if (id !== undefined && others !== undefined) {
    throw new CliError(
      'Scheme, secret and the other options require --request. For a delivery, the daemon knows them.',
    );
  }
  if (id !== undefined || secret !== undefined) return;
  if (secretFile === undefined && !secretStdin) {
    throw new CliError('--request requires the secret.', {
      hint: 'Name the team secret with --secret, or pass its value with --secret-file or --secret-stdin.',
    });
  }
  if (scheme === undefined)
    throw new CliError('--request requires --scheme.', { hint: 'For a bearer token, use --scheme token.' });
  if (secretStdin && request === '-') throw new CliError('Secret and request cannot both come from standard input.');
}

/** The daemon checks the request, so the value of the secret never leaves it. */
async function uploadFile(session: CommandSession, options: DiagnoseOptions, name: string): Promise<Diagnosis> {
  requireSecretName(name);
  const { fields, body, receivedAtMs } = readCapturedRequest(await readInput(session.context, options.request!));
  const api = await session.api();
  return readAnswer(
    api.POST('/api/v1/secrets/{name}/diagnoses', {
      params: { path: { name } },
      body: {
        ...(options.scheme === undefined ? {} : { scheme: options.scheme }),
        headers: Object.fromEntries(fields),
        body_base64: Buffer.from(body).toString('base64'),
        ...(receivedAtMs === null ? {} : { received_at: new Date(receivedAtMs).toISOString() }),
        ...(options.to === undefined ? {} : { url: options.to }),
      },
    }),
  );
}

async function askDaemon(session: CommandSession, ref: string): Promise<Diagnosis> {
  const api = await session.api();
  const id = await findDelivery(session, ref, 'Rejected (auth)');
  return readAnswer(api.GET('/api/v1/deliveries/{id}/diagnosis', { params: { path: { id } } }));
}

async function diagnoseFile(session: CommandSession, options: DiagnoseOptions): Promise<Diagnosis> {
  const { context } = session;
  const scheme = await findScheme(session, options);
  const { headers, body, receivedAtMs } = readCapturedRequest(await readInput(context, options.request!));
  const text = await readSecret(session, options);
  const signingKey = options.certificate === undefined ? null : await readCertificate(session, options.certificate);
  const diagnosis = diagnoseRequest({
    scheme,
    headers,
    body,
    nowMs: receivedAtMs,
    publicUrl: options.to ?? null,
    signingKey,
    secrets: [{ version: 1, text }],
  });
  if (diagnosis.ok) return { mistake: diagnosis.mistake, sentence: diagnosis.sentence, tried: [] };
  const sentence = diagnosis.lacksCertificate
    ? 'Everything that can be checked without the certificate is correct. Pass the file at SigningCertURL with --certificate.'
    : 'None of the common mistakes explains the rejection. Compare secret, scheme and body with those of the sender.';
  return { mistake: null, sentence, tried: diagnosis.tried };
}

async function readCertificate({ context }: CommandSession, file: string): Promise<KeyObject> {
  const pem = await readInput(context, file);
  try {
    return new X509Certificate(pem).publicKey;
  } catch {
    throw new CliError(`'${escapeText(file)}' is not a certificate.`, {
      hint: 'Use the unchanged file at the SigningCertURL of the message (PEM).',
    });
  }
}

async function findScheme(session: CommandSession, { scheme: name, signature }: DiagnoseOptions): Promise<Scheme> {
  if (name === BEARER.name) return BEARER;
  const block = await readSignature(session.context, {
    scheme: name!,
    ...(signature === undefined ? {} : { signature }),
  });
  const scheme = resolveScheme(name!, block);
  if (scheme === null) throw new CliError(`--signature does not describe a scheme for ${name}.`);
  return scheme;
}

async function readSecret({ context }: CommandSession, { secretFile }: DiagnoseOptions): Promise<string> {
  if (secretFile === undefined) return readSecretValue(context, 'Secret');
  return requireNotEmpty(decodeSecretText(await readInput(context, secretFile)));
}

function printDiagnosis({ output }: CommandSession, { sentence, tried }: Diagnosis): void {
  output.line(escapeText(sentence));
  if (tried.length === 0) return;
  output.line();
  output.line('Checked without success:');
  for (const one of tried) output.line(`- ${escapeText(one)}`);
}
