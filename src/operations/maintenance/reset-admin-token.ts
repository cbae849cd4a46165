import { randomBytes } from 'node:crypto';
import { createIdSource } from '../../domain/ids.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { replaceAdminToken } from './admin-token.ts';
import { type StoppedDaemon, withStoppedDaemon } from './stopped-daemon.ts';

/**
 * The way back in for an operator who no longer has an owner token: replaces the first owner token in the data directory
 * of a daemon that is stopped. Anyone who can write there could also edit the database. Returns the path of the token file.
 *
 * Throws what `withStoppedDaemon` throws.
 */
export function resetAdminToken(daemon: StoppedDaemon): Promise<string> {
  return withStoppedDaemon(daemon, async (storage, paths) => {
    const ids = createIdSource(randomBytes);
    const parts = { tokens: storage.tokens, clock: systemClock, ids, randomBytes };
    const { id } = await replaceAdminToken(parts, paths.adminToken);
    const at = systemClock.wallMs();
    await storage.auditLog.append({
      id: ids.auditId(at),
      at,
      actor: null,
      method: 'CLI',
      route: 'dockbell token reset',
      object: `tokens/${id}`,
      changes: { name: 'admin-token', role: 'owner' },
      status: 201,
      clientAddress: 'local',
    });
    return paths.adminToken;
  });
}
