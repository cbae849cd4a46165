import { createContext, type ReactNode, use, useEffect, useLayoutEffect, useState } from 'react';
import { type AroundNavHandler, Router } from 'wouter';
import { ConfirmChange } from '../../parts/dialog/confirm-change.tsx';

type Guard = ReturnType<typeof createGuard>;

/** What the user would lose by leaving the page. */
export type Unsaved = 'changes' | 'one-time value';

const QUESTIONS: Readonly<Record<Unsaved, { title: string; effect: string; action: string }>> = {
  changes: { title: 'Discard changes?', effect: 'You have unsaved changes on this page.', action: 'Discard' },
  'one-time value': {
    title: 'Leave without copying?',
    effect: 'The secret on this page is shown only once. Copy it before you leave.',
    action: 'Leave',
  },
};

interface Question {
  what: Unsaved;
  leave: () => void;
}

const GuardContext = createContext<Guard | null>(null);

/**
 * Asks before unsaved input or a one-time value is lost: by a link, by the history buttons, by signing out, or by closing the
 * tab, where the browser shows its own question.
 */
export function LeaveGuard({ children }: { children: ReactNode }) {
  const [question, setQuestion] = useState<Question | null>(null);
  const [guard] = useState(() => createGuard(setQuestion));
  // Window listeners run in the order of registration: this one must run before the router's.
  useLayoutEffect(() => guard.watch(), [guard]);
  const confirm = () => {
    guard.release();
    question?.leave();
    setQuestion(null);
  };
  // The text stays while the dialog closes.
  const shown = useLastQuestion(question);
  const { title, effect, action } = QUESTIONS[shown];
  return (
    <GuardContext value={guard}>
      <Router aroundNav={guard.aroundNav}>{children}</Router>
      <ConfirmChange
        opened={question !== null}
        onClose={() => setQuestion(null)}
        title={title}
        effects={[effect]}
        action={action}
        isDangerous
        isOnTop
        onConfirm={confirm}
        isPending={false}
        error={null}
      />
    </GuardContext>
  );
}

function useLastQuestion(question: Question | null): Unsaved {
  const [last, setLast] = useState<Unsaved>('changes');
  if (question !== null && question.what !== last) setLast(question.what);
  return question?.what ?? last;
}

interface Hold {
  address: string;
  what: Unsaved;
}

function createGuard(ask: (question: Question) => void) {
  /** Active guards by key. */
  const held = new Map<symbol, Hold>();
  const askFirst = (leave: () => void) => {
    const [hold] = held.values();
    if (hold === undefined) leave();
    else ask({ what: hold.what, leave });
  };
  const aroundNav: AroundNavHandler = (navigate, to, options) => askFirst(() => navigate(to, options));
  const onStep = (event: PopStateEvent) => {
    const [hold] = held.values();
    // Navigation within the page loses nothing.
    if (hold === undefined || new URL(hold.address).pathname === window.location.pathname) return;
    // Restores the URL as a new history entry after the one that the user went to. Going back from it reaches that entry,
    // in either direction.
    event.stopImmediatePropagation();
    window.history.pushState(null, '', hold.address);
    ask({ what: hold.what, leave: () => window.history.back() });
  };
  const onUnload = (event: BeforeUnloadEvent) => {
    if (held.size > 0) event.preventDefault();
  };
  return {
    askFirst,
    aroundNav,
    /** Activates a guard. The returned function removes it. */
    hold: (what: Unsaved) => {
      const key = Symbol('hold');
      held.set(key, { address: window.location.href, what });
      return () => void held.delete(key);
    },
    release: () => held.clear(),
    isHolding: () => held.size > 0,
    watch: () => {
      window.addEventListener('popstate', onStep);
      window.addEventListener('beforeunload', onUnload);
      return () => {
        window.removeEventListener('popstate', onStep);
        window.removeEventListener('beforeunload', onUnload);
      };
    },
  };
}

function useGuard(): Guard {
  const guard = use(GuardContext);
  if (guard === null) throw new Error('useLeaveGuard needs a LeaveGuard');
  return guard;
}

/**
 * Asks before the page is left while `hasUnsaved` is true. Returns a function that removes the guard; call it after saving,
 * before navigating.
 */
export function useLeaveGuard(hasUnsaved: boolean, what: Unsaved = 'changes'): () => void {
  const guard = useGuard();
  useEffect(() => (hasUnsaved ? guard.hold(what) : undefined), [guard, hasUnsaved, what]);
  return guard.release;
}

/** For actions that leave the page without navigation, such as signing out. */
export function useAskFirst(): (leave: () => void) => void {
  return useGuard().askFirst;
}

/** Returns a function that checks whether anything is unsaved. */
export function useHasUnsaved(): () => boolean {
  return useGuard().isHolding;
}
