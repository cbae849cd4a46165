import type { SignatureScheme } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { printList } from '../output/print-result.ts';
import { RESULT_KINDS } from '../output/result-kinds.ts';
import type { ResultOptions } from '../output/result-options.ts';
import type { Column } from '../output/table.ts';

/** `dockbell scheme list`: the signature schemes that webhooks can name. */
export function declareScheme(scheme: CliCommand, bind: Bind): void {
  scheme
    .command('list')
    .description(
      'list the signature schemes of the daemon: what identifies a delivery, and which header has the signature',
    )
    .withResult(RESULT_KINDS.scheme)
    .explain({
      more: 'A webhook names its scheme as signatureScheme.',
      examples: [
        ['dockbell scheme list', 'all schemes'],
        ['dockbell scheme list --fields name,documentation', 'where each provider describes its signature'],
      ],
    })
    .action(bind(listSchemes));
}

async function listSchemes(session: CommandSession, options: ResultOptions): Promise<number> {
  const api = await session.api();
  const page = await readAnswer(api.GET('/api/v1/signature-schemes'));
  await printList(session, options, { kind: RESULT_KINDS.scheme, page, columns: COLUMNS, empty: 'No schemes.' });
  return EXIT_CODES.done;
}

const COLUMNS: Column<SignatureScheme>[] = [
  { head: 'NAME', text: ({ name }) => name, narrow: 'whole' },
  { head: 'PROVIDER', text: ({ title }) => title },
  { head: 'SIGNATURE', text: ({ credential_places: places }) => places.join(', '), minWidth: 16, drop: 1 },
  { head: 'IDENTITY', text: ({ identities }) => identities.join(', ') || '-', minWidth: 16, drop: 2 },
];
