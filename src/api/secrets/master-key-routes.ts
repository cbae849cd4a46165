import type { FastifyInstance } from 'fastify';
import type { MasterKeyControl } from '../../domain/ports/operations.ts';
import { refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';

const bodySchema = {
  type: 'object',
  required: ['new_key'],
  additionalProperties: false,
  properties: {
    new_key: {
      type: 'string',
      pattern: '^[A-Za-z0-9+/]{43}=$',
      description: '32 random bytes in base64. Never returned, and never logged.',
    },
  },
};

/** Changing the master key while the daemon runs. */
export function masterKeyPlugin(app: FastifyInstance, masterKey: MasterKeyControl): void {
  app.post<{ Body: { new_key: string } }>(
    '/master-key/rotations',
    {
      config: { access: requireRole('owner', 'team') },
      schema: {
        tags: ['Secrets'],
        summary: 'Change the master key',
        description:
          'Encrypts all stored values with the new key and replaces the key file. A daemon that ends meanwhile continues at its next start. If the key comes from the environment, or its file cannot be written, `state` is `waiting`: put the new key in place before the next start. Repeat the request after a lost response.',
        body: bodySchema,
        response: { 200: refTo('MasterKeyRotation'), 409: refTo('Problem') },
      },
    },
    async (request) => {
      const key = new Uint8Array(Buffer.from(request.body.new_key, 'base64'));
      const { state, resealed, keyFile, earlierKeyFile } = await masterKey.rotate(key);
      request.auditResult = { state, sealed_values: resealed };
      return { state, resealed, key_file: keyFile, earlier_key_file: earlierKeyFile };
    },
  );
}
