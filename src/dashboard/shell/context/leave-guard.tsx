import { createContext, type ReactNode, use, useEffect, useLayoutEffect, useState } from 'react';
import { type AroundNavHandler, Router } from 'wouter';
import { ConfirmChange } from '../../parts/dialog/confirm-change.tsx';

type Guard = ReturnType<typeof createGuard>;

/** What would be lost by leaving. */
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
 * Asks before something typed, or shown only once, is lost, whichever way the address is left: by a link, by a step in the history, by
 * signing out, or by the browser itself, which then asks in its own words.
 */
export function LeaveGuard({ children }: { children: ReactNode }) {
  const [question, setQuestion] = useState<Question | null>(null);
  const [guard] = useState(() => createGuard(setQuestion));
  // Listeners of the window are called in the order of their coming: this one before the router's, which come later.
  useLayoutEffect(() => guard.watch(), [guard]);
  const confirm = () => {
    guard.release();
    question?.leave();
    setQuestion(null);
  };
  // While the dialog closes, the question that it asked stays.
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
  /** What is held at which address, each by its own key. */
  const held = new Map<symbol, Hold>();
  const askFirst = (leave: () => void) => {
    const [hold] = held.values();
    if (hold === undefined) leave();
    else ask({ what: hold.what, leave });
  };
  const aroundNav: AroundNavHandler = (navigate, to, options) => askFirst(() => navigate(to, options));
  const onStep = (event: PopStateEvent) => {
    const [hold] = held.values();
    // A link within the page leaves nothing.
    if (hold === undefined || new URL(hold.address).pathname === window.location.pathname) return;
    // The address is put back as an entry behind the one that was stepped to: from there that one is a step back,
    // whichever direction it was in.
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
    /** From now on leaving the address asks first; the answer takes that back. */
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
  if (guard === null) throw new Error('this stands outside of the leave guard');
  return guard;
}

/**
 * Asks before the page is left while `hasUnsaved`, in whichever way. Answers with what lets go: to be called after saving,
 * before navigating.
 */
export function useLeaveGuard(hasUnsaved: boolean, what: Unsaved = 'changes'): () => void {
  const guard = useGuard();
  useEffect(() => (hasUnsaved ? guard.hold(what) : undefined), [guard, hasUnsaved, what]);
  return guard.release;
}

/** For what ends the page and is no navigation. */
export function useAskFirst(): (leave: () => void) => void {
  return useGuard().askFirst;
}

/** Would something be lost by leaving, at the moment of the call? */
export function useHasUnsaved(): () => boolean {
  return useGuard().isHolding;
}
