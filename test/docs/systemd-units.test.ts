import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectGenerated, locate, readDocument } from '../helpers/documents.ts';
import { hasProgram } from '../helpers/has-program.ts';
import { readStopSeconds } from '../helpers/stop-seconds.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

const UNITS = readdirSync(locate('deploy/systemd/'));
const COPY = 'by UPDATE_DOCS=1 npx vitest run test/docs/systemd-units.test.ts';

function readUnit(name: string): string {
  return readDocument(`deploy/systemd/${name}`);
}

/** The units in a folder in which systemd-analyze finds `dockbell`'s units by name. */
function copyUnits(): string {
  const folder = createTempDir('units');
  for (const name of UNITS) copyFileSync(locate(`deploy/systemd/${name}`), join(folder, name));
  return folder;
}

describe('the systemd units', () => {
  it('are a service and a socket for each listener, with the names that the daemon expects', () => {
    expect(UNITS.sort()).toEqual(['dockbell-admin.socket', 'dockbell.service', 'dockbell.socket']);
    expect(readUnit('dockbell.socket')).toContain('\nFileDescriptorName=ingress\n');
    expect(readUnit('dockbell-admin.socket')).toContain('\nFileDescriptorName=admin\nService=dockbell.service\n');
    const service = readUnit('dockbell.service');
    for (const line of [
      'Type=notify',
      'NotifyAccess=all',
      'ExecReload=/bin/kill -HUP $MAINPID',
      'LimitCORE=0',
      'KillMode=mixed',
    ]) {
      expect(service).toContain(`\n${line}\n`);
    }
  });

  it('give running commands the default of drain, and time to end after it', () => {
    const [, minutes] = /^TimeoutStopSec=(\d+)min$/m.exec(readUnit('dockbell.service'))!;
    expect(Number(minutes) * 60).toBeGreaterThan(readStopSeconds());
  });

  it.each([
    ['unit', 'dockbell.service'],
    ['socket', 'dockbell.socket'],
  ])('are what the documentation shows: %s', (kind, name) => {
    const mark = `${kind}: copied from deploy/systemd/${name} ${COPY}`;
    expectGenerated(
      'docs/operations/running.md',
      mark,
      `
\`\`\`ini
${readUnit(name)}\`\`\`

`,
    );
  });

  describe.runIf(hasProgram('systemd-analyze'))('for systemd', () => {
    it('are valid', () => {
      const folder = copyUnits();
      const files = UNITS.map((name) => join(folder, name));
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], { encoding: 'utf8' });
      expect([stderr, status]).toEqual(['', 0]);
    });

    it('limit the service to an exposure of 2.0 of 10', () => {
      const file = join(copyUnits(), 'dockbell.service');
      const args = ['security', '--offline=true', '--threshold=20', '--no-pager', file];
      const { status, stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
      expect(status, stdout).toBe(0);
    });
  });
});
