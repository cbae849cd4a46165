import type { FastifyInstance } from 'fastify';
import { describeScheme, type SignatureSchemeFacts } from '../../definitions/signature/schemes/describe-scheme.ts';
import { SCHEMES } from '../../definitions/signature/schemes/schemes.ts';
import { listOf } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';

/** The signature schemes that a webhook can name: for forms that create one, and for people who read one. */
export function registerSchemeRoutes(app: FastifyInstance): void {
  app.get(
    '/signature-schemes',
    {
      config: { access: requireRole('viewer', 'listed') },
      schema: {
        tags: ['Webhooks'],
        summary: 'List signature schemes',
        response: { 200: listOf('SignatureScheme') },
      },
    },
    async () => ({ data: SCHEMES.map((scheme) => presentScheme(describeScheme(scheme))), next_cursor: null }),
  );
}

function presentScheme(scheme: SignatureSchemeFacts) {
  return {
    name: scheme.name,
    title: scheme.title,
    secret_issued: scheme.whenSecretIsIssued,
    generates_secret: scheme.canGenerateSecret,
    identities: scheme.identities,
    credential_places: scheme.credentialPlaces,
    documentation: scheme.documentation === '' ? null : scheme.documentation,
  };
}
