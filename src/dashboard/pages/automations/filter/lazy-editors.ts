import { lazy } from 'react';

// The editor is half as big as all else together: it is loaded when the first one is shown.
export const LazyFilterEditor = lazy(async () => ({ default: (await import('./filter-editor.tsx')).FilterEditor }));
export const LazyPlainJsonEditor = lazy(async () => ({
  default: (await import('./plain-json-editor.tsx')).PlainJsonEditor,
}));
