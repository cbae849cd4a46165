import { EventWebhook, EventWebhookHeader } from '@sendgrid/eventwebhook';
import { verifyKey as verifyDiscord } from 'discord-interactions';
import { describe, it } from 'vitest';
import { expectBothToAccept, PAYLOADS, schemeOf } from '../helpers/provider-deliveries.ts';
import { makeSecrets } from '../helpers/scheme-secrets.ts';

const discord = makeSecrets(schemeOf('discord'));
const sendgrid = makeSecrets(schemeOf('sendgrid'));

describe.each(PAYLOADS)('the body %j', (body) => {
  it('Discord: discord-interactions accepts what ours signs', async () => {
    await expectBothToAccept('discord', discord, body, (delivery) =>
      verifyDiscord(
        delivery.body,
        delivery.headers['x-signature-ed25519']!,
        delivery.headers['x-signature-timestamp']!,
        discord.verifying,
      ),
    );
  });

  it('SendGrid: @sendgrid/eventwebhook accepts what ours signs', async () => {
    const library = new EventWebhook();
    await expectBothToAccept('sendgrid', sendgrid, body, (delivery) =>
      library.verifySignature(
        library.convertPublicKeyToECDSA(sendgrid.verifying),
        delivery.body,
        delivery.headers[EventWebhookHeader.SIGNATURE().toLowerCase()]!,
        delivery.headers[EventWebhookHeader.TIMESTAMP().toLowerCase()]!,
      ),
    );
  });
});
