import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCHEMES } from '../../src/definitions/signature/schemes/schemes.ts';
import { type DocumentShell, listCommandBlocks, openDocumentShell } from '../helpers/documented-commands.ts';
import { createWorld, FILES, findUid, type World } from '../helpers/documented-pages.ts';
import { listFences } from '../helpers/documents.ts';
import { makeSecrets } from '../helpers/scheme-secrets.ts';

/** Asana sends the secret with its first request, so without Asana the test delivery of its page is rejected. */
const isTooEarly = (name: string, text: string) => name === 'asana' && text.includes('dockbell send');

/**
 * The page of each signature scheme, followed to the letter: its webhook, its secret and its test. The blocks about a rejected
 * delivery are the same on most pages but for names: each such text is executed once.
 */
describe('the commands of the pages of schemes', { tags: 'full' }, () => {
  let world: World;
  const shells: DocumentShell[] = [];
  const executed = new Set<string>();
  beforeAll(async () => {
    world = await createWorld();
    await world.daemon.cli('secret', 'create', 'INTERNAL_CI_WEBHOOK_SECRET', '--value', 'a-secret-of-more-characters');
  });
  afterAll(async () => {
    await Promise.all(shells.map((shell) => shell.end()));
    await world?.daemon.end('SIGTERM');
  });

  it.each(SCHEMES.map((scheme) => [scheme.name, scheme] as const))('docs/schemes/%s.md', async (name, scheme) => {
    const document = `docs/schemes/${name}.md`;
    const file = listFences(document).find(({ title }) => title.startsWith('webhooks/'))!;
    const webhook = file.title.slice('webhooks/'.length, -'.yaml'.length);
    const secret = makeSecrets(scheme).verifying;
    const env = { ...world.env, SECRET: secret, VERIFY_TOKEN: 'a-token-that-nobody-guesses' };
    const shell = openDocumentShell(world.folder, env);
    shells.push(shell);
    for (const block of listCommandBlocks(document).filter(({ text }) => !isTooEarly(name, text))) {
      const isUrl = block.text.includes('webhook show');
      if (isUrl) await world.push({ [file.title]: file.text });
      const isAboutRejection = block.text.includes('capture');
      const text = block.text.replaceAll(webhook, 'NAME');
      if (isAboutRejection && executed.has(text)) continue;
      executed.add(text);
      const wrong = isAboutRejection ? await sendWrong(webhook) : '';
      await shell.execute(block, [
        ['# make the sender send again', wrong],
        // Exit code 1: no mistake explains a request that nobody signed.
        ['dlv_…', 'last || [ $? = 1 ]'],
        [' --follow', ''],
        ['git push', 'git push -q'],
      ]);
    }
    expect(await findUid(world, webhook)).toMatch(/^wh_/);
    await world.push({ [file.title]: FILES[file.title] ?? null });
  });

  async function sendWrong(webhook: string): Promise<string> {
    const url = `${world.daemon.ingressUrl}/webhooks/w/${await findUid(world, webhook)}`;
    return `curl -s -o answer.json '${url}' -H 'Authorization: Bearer wrong' -d '{}'`;
  }
});
