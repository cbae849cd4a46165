import type { NoticeId } from '../../ids.ts';
import type { NewNotice, Notice, NoticeTarget } from '../../notice.ts';

/** What is to be told to whom, durable over restarts. A target is told one thing of each commit: the newest outcome. */
export interface NoticeQueue {
  /**
   * Puts a notice, due at once, in the place of what the target was told or was to be told of that commit. `false`
   * where that has the same outcome: then nothing changes.
   */
  put(notice: NewNotice): Promise<boolean>;
  /** The waiting notice that is due first; `null` where none waits. */
  next(target: NoticeTarget): Promise<Notice | null>;
  /** The notice that was put last, whatever its state. */
  newest(target: NoticeTarget): Promise<Notice | null>;
  /** A try has failed: it waits until `dueAt`. Does nothing to a notice that another has replaced. */
  postpone(id: NoticeId, failure: { problem: string; at: number; dueAt: number }): Promise<void>;
  /** It was posted (`problem` is `null`) or is given up. Does nothing to a notice that another has replaced. */
  settle(id: NoticeId, end: { problem: string | null; at: number }): Promise<void>;
  /** What waits is due now, and so is the newest notice where it was given up. */
  retryNow(target: NoticeTarget, at: number): Promise<void>;
}
