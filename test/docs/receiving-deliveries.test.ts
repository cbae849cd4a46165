import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readHandshakeGuides } from '../../scripts/scheme-docs.ts';
import { OPTIONS } from '../../src/config/options/options.ts';
import { emptyAnswer, textAnswer } from '../../src/definitions/signature/handshakes/handshake.ts';
import { HANDSHAKES } from '../../src/definitions/signature/handshakes/handshakes.ts';
import { findScheme } from '../../src/definitions/signature/schemes/schemes.ts';
import { HANDSHAKE_OUTCOMES, type HandshakeOutcome } from '../../src/domain/deliveries/handshake.ts';
import { IDENTITY_SOURCES } from '../../src/domain/resources/delivery.ts';
import { AUTH_REASONS, OTHER_REASONS } from '../../src/domain/words/delivery-reasons.ts';
import { UNLOGGED_REASONS } from '../../src/domain/words/unlogged-reasons.ts';
import * as answers from '../../src/ingress/transport/answers.ts';
import { expectGenerated, locate, readDocument, renderTable } from '../helpers/documents.ts';

const PAGE = 'docs/reference/receiving-deliveries.md';

const OUTCOMES = {
  answered: 'The challenge was answered, or its information was recorded; see `detail`.',
  adopted: 'The secret from Asana is stored, pinned and live.',
  confirmed: 'The URL of SNS was fetched: the subscription is confirmed.',
  failed: 'The URL of SNS could not be fetched; `detail` contains the reason.',
  refused: 'The format is right, but the verify token or `Authorization` is wrong, or no webhook waits for the secret.',
} satisfies Record<HandshakeOutcome, string>;

/** Results of reading a body that create no entry in the log. */
const UNLOGGED = ['aborted', 'overloaded'];

function readSources(folder: string): string {
  return readdirSync(locate(folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readDocument(`${folder}${name}`))
    .join('\n');
}

describe('docs/reference/receiving-deliveries.md', () => {
  it('explains every reason of the delivery log', () => {
    const ofAuth = Object.entries(AUTH_REASONS).map(([reason, { text }]) => [
      `\`${reason}\``,
      '`Rejected (auth)`',
      text,
    ]);
    const others = Object.entries(OTHER_REASONS).map(([reason, { label, text }]) => [
      `\`${reason}\``,
      label === null ? 'any rejection' : label === 'none' ? label : `\`${label}\``,
      text,
    ]);
    expectGenerated(PAGE, 'reasons', renderTable(['reason', 'label', 'means'], [...ofAuth, ...others]));
  });

  it('explains every reason of requests without an entry', () => {
    const rows = Object.entries(UNLOGGED_REASONS).map(([reason, { status, text }]) => [
      `\`${reason}\``,
      status === null ? '' : `\`${status}\``,
      text,
    ]);
    expectGenerated(PAGE, 'unlogged', renderTable(['reason', 'status', 'means'], rows));
  });

  it('contains the reasons that ingress and storage write', () => {
    const others = ['src/storage/sqlite/delivery-log.ts', 'src/api/webhooks/post-backfill.ts'].map(readDocument);
    const sources = readSources('src/ingress/') + others.join('');
    const written = [
      ...sources.matchAll(/reason: '(\w+)'/g),
      ...sources.matchAll(/invalid\('(\w+)'/g),
      ...sources.matchAll(/'((?:same_identity|backfilled)\w*)'/g),
    ].map((match) => match[1]!);
    const ours = new Set(written.filter((reason) => !(reason in AUTH_REASONS) && !UNLOGGED.includes(reason)));
    expect([...ours].sort()).toEqual(Object.keys(OTHER_REASONS).sort());
  });

  it('lists every status that the ingress returns', () => {
    const described = [...readDocument(PAGE).matchAll(/^\| `(\d{3})` \|/gm)].map((match) => Number(match[1]));
    const shaken = [textAnswer('a'), emptyAnswer(204)].map(answers.handshake);
    const built = [
      answers.tooLarge(1),
      answers.tooManyRequests(1),
      answers.accepted({ status: 202, body: null }, 'a'),
      ...shaken,
    ];
    const fixed = Object.values(answers).flatMap((answer) => (typeof answer === 'object' ? [answer] : []));
    const ofTheParser = [...readDocument('src/ingress/transport/http.ts').matchAll(/'(4\d\d) [A-Z][\w ]+'/g)];
    const answered = [...built, ...fixed].map(({ status }) => status);
    const all = new Set([...answered, ...ofTheParser.map((match) => Number(match[1]))]);
    expect(described).toEqual([...all].sort());
  });

  it('lists every handshake and every outcome', () => {
    const guides = readHandshakeGuides();
    const rows = HANDSHAKES.map(({ name, scheme }) => {
      const webhook = scheme === null ? '`authMode: url_token`' : `[\`${scheme}\`](../schemes/guides.yaml#${scheme})`;
      const { title, sends, answered } = guides[name]!;
      return [title ?? findScheme(scheme!)!.title, webhook, sends, answered];
    });
    expect(Object.keys(guides)).toEqual(HANDSHAKES.map(({ name }) => name));
    expectGenerated(PAGE, 'handshakes', renderTable(['provider', 'webhook', 'sends', 'answered'], rows));
    const outcomes = HANDSHAKE_OUTCOMES.map((outcome) => [`\`${outcome}\``, OUTCOMES[outcome]]);
    expectGenerated(PAGE, 'handshake outcomes', renderTable(['outcome', 'means'], outcomes));
  });

  it('lists the sources of an identity in order', () => {
    const rows = [...readDocument(PAGE).matchAll(/^\| `([a-z_]+)` \| .*$/gm)].map((match) => match[1]!);
    const listed = rows.filter((name) => (IDENTITY_SOURCES as readonly string[]).includes(name));
    expect(listed).toEqual(['header', 'payload', 'provider', 'service_header', 'body_hash']);
    expect([...listed].sort()).toEqual([...IDENTITY_SOURCES].sort());
  });

  it('contains the default limits of the configuration', () => {
    const page = readDocument(PAGE);
    const rows = [...page.matchAll(/^\| .* \| ([\d,]+|\d+m)(?: bytes)? \| `(limits\.\w+)` \|$/gm)];
    const defaults = rows.map(([, value, key]) => [
      key,
      value!.endsWith('m') ? value : Number(value!.replaceAll(',', '')),
    ]);
    const options = Object.entries(OPTIONS).filter(([key]) => key.startsWith('limits.') && !key.endsWith('Factory'));
    expect(Object.fromEntries(defaults)).toEqual(
      Object.fromEntries(options.map(([key, option]) => [key, (option as { default?: unknown }).default])),
    );
  });
});
