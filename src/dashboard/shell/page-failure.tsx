import { QueryErrorResetBoundary } from '@tanstack/react-query';
import { Component, type ReactNode } from 'react';
import { toProblem } from '../api/problem.ts';
import { PAGE_NOT_LOADED } from '../lazy-page.tsx';
import { ErrorPanel } from '../parts/layout/error-panel.tsx';

/** Shows an error instead of a page that failed. */
export function PageFailure({ children }: { children: ReactNode }) {
  return (
    <QueryErrorResetBoundary>{({ reset }) => <Boundary onReset={reset}>{children}</Boundary>}</QueryErrorResetBoundary>
  );
}

class Boundary extends Component<{ children: ReactNode; onReset: () => void }, { error: unknown }> {
  override state = { error: null as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  private readonly retry = () => {
    this.props.onReset();
    this.setState({ error: null });
  };

  /** An upgraded daemon serves files with other names. Only a reloaded document refers to them. */
  private readonly reload = async () => {
    if (await isReachable()) window.location.reload();
    else this.retry();
  };

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    if (toProblem(error).code !== PAGE_NOT_LOADED) return <ErrorPanel error={error} onRetry={this.retry} />;
    return <ErrorPanel error={error} onRetry={this.reload} retryLabel="Reload the page" />;
  }
}

async function isReachable(): Promise<boolean> {
  return fetch('/', { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
}
