import type { Reconciliation } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { isFailure } from '../output/describe-reconciliation.ts';
import { printReconciliation } from '../output/print-reconciliation.ts';
import { startProgress } from '../output/progress.ts';

interface ReconcileOptions {
  wait?: boolean;
  json?: boolean;
}

/** `dockbell reconcile`: reconciles a factory now. */
export function declareReconcile(command: CliCommand, bind: Bind): void {
  command
    .option('--wait', 'wait for the end, and print the outcome')
    .withJson()
    .explain({
      negative: 'with --wait: the definition is invalid or could not be applied',
      examples: [
        ['dockbell reconcile', 'start it and return'],
        ['dockbell reconcile --wait', 'print the changes, or why it was not applied'],
      ],
    })
    .action(bind(reconcile));
}

async function reconcile(session: CommandSession, options: ReconcileOptions): Promise<number> {
  const [api, factory] = [await session.api(), await session.factory()];
  if (options.wait) return waitForReconciliation(session, factory, options);
  const accepted = await readAnswer(
    api.POST('/api/v1/factories/{factory}/reconciliations', { params: { path: { factory } } }),
  );
  if (options.json) session.output.json(accepted);
  else session.output.line(`Reconciling ${escapeText(factory)}. Run 'dockbell status' to see the outcome.`);
  return EXIT_CODES.done;
}

async function waitForReconciliation(
  session: CommandSession,
  factory: string,
  options: ReconcileOptions,
): Promise<number> {
  const api = await session.api();
  const progress = startProgress(session.context, `Reconciling ${escapeText(factory)}…`);
  const params = { path: { factory }, query: { wait: true } };
  const answer = api.POST('/api/v1/factories/{factory}/reconciliations', { params });
  const reconciliation = (await readAnswer(answer).finally(() => progress.stop())) as Reconciliation;
  if (options.json) session.output.json(reconciliation);
  else printReconciliation(session.output, reconciliation);
  return isFailure(reconciliation) ? EXIT_CODES.negative : EXIT_CODES.done;
}
