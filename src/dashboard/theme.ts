import { type CSSVariablesResolver, createTheme, type MantineColorsTuple, Modal, Notification } from '@mantine/core';

/** The colour of harbour water: actions, links, what is selected. */
const harbour: MantineColorsTuple = [
  '#e9f6f7',
  '#d3e9eb',
  '#a8d3d7',
  '#79bcc2',
  '#52a8b0',
  '#37969f',
  '#1f7f88',
  '#14636b',
  '#0f5058',
  '#0a3d44',
];

export const theme = createTheme({
  primaryColor: 'harbour',
  primaryShade: { light: 7, dark: 6 },
  colors: { harbour },
  black: '#16292c',
  defaultRadius: 'md',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Ubuntu, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  components: {
    Modal: Modal.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
    Notification: Notification.extend({
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } },
      styles: { description: { color: 'var(--mantine-color-dimmed)' } },
    }),
  },
});

/** Mantine's greys for secondary text and its tints are too light on white to be read by everybody (WCAG 2.2, 1.4.3). */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-orange-light-color': '#8a3c00',
    '--mantine-color-teal-light-color': '#0a5c45',
    '--mantine-color-red-light-color': '#a61e1e',
    '--mantine-color-blue-light-color': '#15509c',
    '--mantine-color-gray-light-color': '#3d4a4d',
    '--mantine-color-dimmed': '#526164',
    '--mantine-color-placeholder': '#6a787b',
    '--mantine-color-error': '#b3261e',
  },
  dark: {
    '--mantine-color-dimmed': '#a9b3b5',
    '--mantine-color-placeholder': '#8b9799',
    '--mantine-color-error': '#ff9d96',
    '--mantine-color-anchor': '#79bcc2',
  },
});
