import type { NoticeId, RunId } from '../../ids.ts';
import type { NewNotice, Notice, NoticeTarget, Report } from '../../notice.ts';

/** The durable queue of commit statuses. Each target has one status per commit: the most recent outcome. */
export interface NoticeQueue {
  /**
   * Queues a commit status that is due immediately. It replaces the earlier status of that target and commit. `false`,
   * and nothing changes, if the earlier status has the same outcome.
   */
  put(notice: NewNotice): Promise<boolean>;
  /** Records why the result of a run is not posted. Does nothing if the target has a report about this attempt. */
  skip(notice: NewNotice, problem: string): Promise<void>;
  /** The status of that target and commit, in any state; `null` if none was queued. */
  find(target: NoticeTarget, revision: string): Promise<Notice | null>;
  /** Replaces the report of a status whose outcome is the same, without posting it again. */
  renew(target: NoticeTarget, revision: string, report: Report): Promise<void>;
  /** The reports about the attempts of a run, oldest first. */
  ofRun(factory: string, run: RunId): Promise<Notice[]>;
  /** The waiting status that is due first; `null` if none waits. */
  next(target: NoticeTarget): Promise<Notice | null>;
  /** The status that was queued last, in any state but `skipped`. */
  newest(target: NoticeTarget): Promise<Notice | null>;
  /** Records a failed attempt; the status waits until `dueAt`. Does nothing if the status was replaced. */
  postpone(id: NoticeId, failure: { problem: string; at: number; dueAt: number }): Promise<void>;
  /** Records that the status was posted (`problem` is `null`) or given up. Does nothing if the status was replaced. */
  settle(id: NoticeId, end: { problem: string | null; at: number }): Promise<void>;
  /** Makes all waiting statuses due now, and the most recent status as well if it was given up. */
  retryNow(target: NoticeTarget, at: number): Promise<void>;
}
