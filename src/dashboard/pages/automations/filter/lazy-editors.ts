import { lazy } from 'react';

// The editor is half the size of everything else, so it is loaded on first use.
export const LazyFilterEditor = lazy(async () => ({ default: (await import('./filter-editor.tsx')).FilterEditor }));
export const LazyPlainJsonEditor = lazy(async () => ({
  default: (await import('./filter-editor.tsx')).PlainJsonEditor,
}));
