import { createContext, type ReactNode, use, useEffect, useLayoutEffect, useState } from 'react';
import { type AroundNavHandler, Router } from 'wouter';
import { ConfirmChange } from '../parts/confirm-change.tsx';

type Guard = ReturnType<typeof createGuard>;

const GuardContext = createContext<Guard | null>(null);

/**
 * Asks before something typed is lost, whichever way the address is left: by a link, by a step in the history, by
 * signing out, or by the browser itself, which then asks in its own words.
 */
export function LeaveGuard({ children }: { children: ReactNode }) {
  const [leave, setLeave] = useState<(() => void) | null>(null);
  const [guard] = useState(() => createGuard((wanted) => setLeave(() => wanted)));
  // Listeners of the window are called in the order of their coming: this one before the router's, which come later.
  useLayoutEffect(() => guard.watch(), [guard]);
  const confirm = () => {
    guard.release();
    leave?.();
    setLeave(null);
  };
  return (
    <GuardContext value={guard}>
      <Router aroundNav={guard.aroundNav}>{children}</Router>
      <ConfirmChange
        opened={leave !== null}
        onClose={() => setLeave(null)}
        title="Leave without saving?"
        effects={['What you typed on this page is lost.']}
        action="Leave"
        isDangerous
        onConfirm={confirm}
        isPending={false}
        error={null}
      />
    </GuardContext>
  );
}

function createGuard(ask: (leave: () => void) => void) {
  /** The addresses that are held, each by its own key. */
  const held = new Map<symbol, string>();
  const askFirst = (leave: () => void) => (held.size === 0 ? leave() : ask(leave));
  const aroundNav: AroundNavHandler = (navigate, to, options) => askFirst(() => navigate(to, options));
  const onStep = (event: PopStateEvent) => {
    const [address] = held.values();
    // A link within the page leaves nothing.
    if (address === undefined || new URL(address).pathname === window.location.pathname) return;
    // The address is put back as an entry behind the one that was stepped to: from there that one is a step back,
    // whichever direction it was in.
    event.stopImmediatePropagation();
    window.history.pushState(null, '', address);
    ask(() => window.history.back());
  };
  const onUnload = (event: BeforeUnloadEvent) => {
    if (held.size > 0) event.preventDefault();
  };
  return {
    askFirst,
    aroundNav,
    /** From now on leaving the address asks first; the answer takes that back. */
    hold: () => {
      const key = Symbol('hold');
      held.set(key, window.location.href);
      return () => void held.delete(key);
    },
    release: () => held.clear(),
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
export function useLeaveGuard(hasUnsaved: boolean): () => void {
  const guard = useGuard();
  useEffect(() => (hasUnsaved ? guard.hold() : undefined), [guard, hasUnsaved]);
  return guard.release;
}

/** For what ends the page and is no navigation. */
export function useAskFirst(): (leave: () => void) => void {
  return useGuard().askFirst;
}
