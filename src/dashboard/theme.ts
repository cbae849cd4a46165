import {
  Alert,
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  Menu,
  Modal,
  MultiSelect,
  Notification,
  Select,
} from '@mantine/core';

/** Primary color: actions, links, selection. */
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

/** Grays with a hint of the primary color. */
const dark: MantineColorsTuple = [
  '#d3dcde',
  '#b4c0c2',
  '#93a1a4',
  '#65757a',
  '#35444a',
  '#27343a',
  '#1d282d',
  '#161f23',
  '#11191c',
  '#0b1113',
];

/** The list itself scrolls, not a parent that keyboard users could not reach (axe: scrollable-region-focusable). */
const OPTIONS = { options: { maxHeight: 260, overflowY: 'auto' } } as const;

export const theme = createTheme({
  primaryColor: 'harbour',
  primaryShade: { light: 7, dark: 6 },
  colors: { harbour, dark },
  black: '#16292c',
  defaultRadius: 'md',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Ubuntu, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  components: {
    // A long value inside it scrolls, instead of a box that is wider than the screen of a phone.
    Alert: Alert.extend({ styles: { body: { minWidth: 0 } } }),
    // Highlights the first matching option, for `SearchSelect`.
    Select: Select.extend({
      defaultProps: { selectFirstOptionOnChange: true, withScrollArea: false },
      styles: OPTIONS,
    }),
    MultiSelect: MultiSelect.extend({
      defaultProps: { selectFirstOptionOnChange: true, withScrollArea: false },
      styles: OPTIONS,
    }),
    // Mantine's focus placeholder is not accessible (axe: aria-required-children).
    // Rendered inside its landmark (axe: region).
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false, withinPortal: false } }),
    Modal: Modal.extend({
      defaultProps: {
        closeButtonProps: { 'aria-label': 'Close' },
        radius: 'lg',
        // The dialog header must not become a banner landmark.
        attributes: { header: { role: 'presentation' } },
      },
    }),
    Notification: Notification.extend({
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } },
      styles: { description: { color: 'var(--mantine-color-dimmed)' } },
    }),
  },
});

const TINTED = ['harbour', 'red', 'orange', 'yellow', 'teal', 'blue', 'gray'];

/** Darker than Mantine's grays for secondary text, whose contrast is too low (WCAG 2.2, 1.4.3). */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#526164',
    '--mantine-color-placeholder': '#6a787b',
    '--mantine-color-error': '#b3261e',
    ...tintAll('light'),
  },
  dark: {
    '--mantine-color-dimmed': '#a3b1b4',
    '--mantine-color-placeholder': '#85959a',
    '--mantine-color-error': '#ff9d96',
    '--mantine-color-anchor': '#79bcc2',
    ...tintAll('dark'),
  },
});

function tintAll(scheme: 'light' | 'dark'): Record<string, string> {
  return Object.assign({}, ...TINTED.map((color) => tint(color, scheme)));
}

/** Light tints with readable text. */
function tint(color: string, scheme: 'light' | 'dark'): Record<string, string> {
  const background = scheme === 'light' ? 'white' : 'var(--mantine-color-dark-7)';
  const mix = (percent: number) => `color-mix(in srgb, var(--mantine-color-${color}-6) ${percent}%, ${background})`;
  const text =
    scheme === 'light'
      ? `color-mix(in srgb, var(--mantine-color-${color}-9) 70%, black)`
      : `var(--mantine-color-${color}-2)`;
  return {
    [`--mantine-color-${color}-light`]: mix(scheme === 'light' ? 13 : 16),
    [`--mantine-color-${color}-light-hover`]: mix(scheme === 'light' ? 20 : 26),
    [`--mantine-color-${color}-light-color`]: text,
  };
}
