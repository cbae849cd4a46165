// Edits of hosted definitions. In: a change of a webhook or automation from the API. Out: changed files, as a commit that is
// live when the edit returns. `webhook-edits.ts` and `automation-edits.ts` change the text of files, `choose-secret.ts` finds
// the secret. Then `reconcile/edit-factory.ts` validates, commits and applies. `adopt-secret.ts` stores a secret that a sender
// supplies in a handshake.

import type { Actor } from '../../domain/access/access.ts';
import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import { AppError } from '../../domain/errors.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import type { Author, Revision } from '../../domain/ports/sources.ts';
import type { SecretValue } from '../../domain/secrets/secret-value.ts';
import { TaskQueue } from '../../domain/time/task-queue.ts';
import type { Reconcilers } from '../create-reconcilers.ts';
import type { ComposedEdit, EditedState, EditOutcome, FactoryEdit } from '../edit-factory.ts';
import {
  type AutomationWriting,
  composeAutomation,
  composeAutomationDeletion,
  composeRevert,
} from './automation-edits.ts';
import {
  composeChange,
  composeCreation,
  composeDeletion,
  composeRotation,
  composeSecretStep,
  type NewWebhook,
  type SecretParts,
  type WebhookChange,
} from './webhook-edits.ts';

/** The factory and author of an edit, and the version on which it is based. */
export interface EditOrder {
  factory: string;
  /** Who edits, as the audit log names them. */
  actor: Actor;
  author: Author;
  /** The `If-Match` header; `null` for no check. */
  ifMatch: string | null;
}

/**
 * Edits of factories whose definition Dockbell stores. When an edit returns, the change is live. Throws `AppError`
 * without writing anything: `definition_invalid` with the diagnostics, `precondition_failed`, `conflict`, `not_found`,
 * `bad_request`. After `apply_failed`, the change is written and becomes live when the problem is solved.
 */
export interface FactoryEditor {
  /** Returns the generated secret, which cannot be read again; `null` if none was generated. */
  createWebhook(order: EditOrder, webhook: NewWebhook): Promise<SecretValue | null>;
  changeWebhook(order: EditOrder, uid: WebhookUid, change: WebhookChange): Promise<void>;
  deleteWebhook(order: EditOrder, uid: WebhookUid): Promise<void>;
  /** Returns a value like `createWebhook`. */
  rotateSecret(order: EditOrder, uid: WebhookUid, given: SecretValue | null): Promise<SecretValue | null>;
  giveSecret(order: EditOrder, uid: WebhookUid, value: SecretValue): Promise<void>;
  /** Returns whether the automation is new. */
  writeAutomation(order: EditOrder, writing: Omit<AutomationWriting, 'ifMatch'>): Promise<boolean>;
  deleteAutomation(order: EditOrder, name: string): Promise<void>;
  revert(order: EditOrder, revision: string): Promise<void>;
  /** Newest first. Throws `conflict` if the factory has no history. */
  history(factory: string, page: PageRequest): Promise<Page<Revision>>;
}

export function createFactoryEditor(
  parts: SecretParts & { loop: Pick<Reconcilers, 'edit' | 'history'> },
): FactoryEditor {
  const execute = async ({ factory, actor, author }: EditOrder, compose: FactoryEdit['compose']) =>
    settle(await parts.loop.edit(factory, { actor, author, compose }));
  const naming = new TaskQueue();
  return {
    createWebhook: (order, webhook) =>
      showGenerated(
        (compose) => executeExclusively(naming, compose, (held) => execute(order, held)),
        async (state) => {
          const { edit, chosen } = await composeCreation(parts, state, webhook);
          return { edit, generated: chosen.isGenerated ? chosen.store : null };
        },
      ),
    changeWebhook: (order, uid, change) => execute(order, (state) => composeChange(state, uid, change, order.ifMatch)),
    deleteWebhook: (order, uid) => execute(order, (state) => composeDeletion(state, uid, order.ifMatch)),
    rotateSecret: (order, uid, given) =>
      showGenerated(
        (compose) => execute(order, compose),
        async (state) => {
          const { edit, value, isGenerated } = await composeRotation(parts, state, uid, given, order.ifMatch);
          return { edit, generated: isGenerated ? value : null };
        },
      ),
    giveSecret: (order, uid, value) =>
      execute(order, (state) => composeSecretStep(parts, state, uid, value, order.ifMatch)),
    writeAutomation: async (order, writing) => {
      let created = false;
      await execute(order, (state) => {
        const { edit, isNew } = composeAutomation(state, { ...writing, ifMatch: order.ifMatch });
        created = isNew;
        return edit;
      });
      return created;
    },
    deleteAutomation: (order, name) => execute(order, (state) => composeAutomationDeletion(state, name, order.ifMatch)),
    revert: (order, revision) => execute(order, (state) => composeRevert(state, revision, order.ifMatch)),
    history: async (factory, page) => {
      const revisions = await parts.loop.history(factory, page);
      if (revisions !== null) return revisions;
      throw new AppError(
        'conflict',
        `Only managed factories keep their revisions. The reconciliations of ${factory} show its changes.`,
      );
    },
  };
}

/**
 * Executes an edit exclusively among all factories, from its composition to its end. Between the choice of a secret's
 * name and its use, no other creation can therefore choose the same name. The exclusive part starts when the factory is
 * ready to compose, so that a busy factory does not block the others.
 */
async function executeExclusively(
  naming: TaskQueue,
  compose: FactoryEdit['compose'],
  execute: (compose: FactoryEdit['compose']) => Promise<void>,
): Promise<void> {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  try {
    await execute(
      (state) =>
        new Promise((resolve) => {
          void naming.run(() => {
            resolve(compose(state));
            return ended;
          });
        }),
    );
  } finally {
    end();
  }
}

/** Returns the generated value only after the edit is live. */
async function showGenerated(
  execute: (compose: FactoryEdit['compose']) => Promise<void>,
  compose: (state: EditedState) => Promise<{ edit: ComposedEdit; generated: SecretValue | null }>,
): Promise<SecretValue | null> {
  let shown: SecretValue | null = null;
  await execute(async (state) => {
    const { edit, generated } = await compose(state);
    shown = generated;
    return edit;
  });
  return shown;
}

function settle(outcome: EditOutcome): void {
  if (outcome.kind === 'applied' || outcome.kind === 'unchanged') return;
  if (outcome.kind === 'refused') {
    throw new AppError('definition_invalid', describeRejection(outcome.diagnostics), {
      details: { diagnostics: outcome.diagnostics },
    });
  }
  if (outcome.kind === 'lost') {
    throw new AppError('conflict', 'The factory was changed concurrently. Nothing was written. Try again.');
  }
  const { revision, message } = outcome.reconciliation;
  const advice = 'The daemon retries automatically';
  throw new AppError(
    'apply_failed',
    `The change is stored as ${revision}, but is not live yet: ${message}. ${advice}.`,
  );
}

function describeRejection(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const first = errors[0]?.message ?? 'the definition would not be valid';
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return `Nothing was changed, because the definition would not be valid: ${first}${more}`;
}
