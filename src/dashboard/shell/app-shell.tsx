import { AppShell, Burger, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { useRememberedFactory } from './context/current-factory.ts';
import { BrandLink } from './frame/brand-link.tsx';
import { ColorSchemeToggle } from './frame/color-scheme-toggle.tsx';
import { ConnectionState, OfflineBanner } from './frame/connection.tsx';
import { FactorySwitcher } from './frame/factory-switcher.tsx';
import { Navigation } from './frame/navigation.tsx';
import { UserMenu } from './frame/user-menu.tsx';
import { PageOutlet } from './page-outlet.tsx';
import { useFreshFactories } from './use-fresh-factories.ts';

/** What stands around every page: header, navigation, the page itself. */
export function DashboardShell() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const main = useMainFocus();
  useFreshFactories();
  useRememberedFactory();
  return (
    <>
      <SkipLink />
      <AppShell
        header={{ height: 56 }}
        navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
        padding={{ base: 'md', sm: 'xl' }}
      >
        <AppShell.Header>
          <Group h="100%" px="md" justify="space-between" wrap="nowrap">
            <Group gap="sm" wrap="nowrap">
              <Burger
                opened={isOpen}
                onClick={toggle}
                hiddenFrom="sm"
                size="sm"
                aria-label={isOpen ? 'Close navigation' : 'Open navigation'}
                aria-expanded={isOpen}
              />
              <BrandLink />
            </Group>
            <Group gap="xs" wrap="nowrap" miw={0}>
              <ConnectionState />
              <FactorySwitcher />
              <ColorSchemeToggle />
              <UserMenu />
            </Group>
          </Group>
        </AppShell.Header>
        <AppShell.Navbar p="sm" aria-label="Main">
          <Navigation onNavigate={close} />
        </AppShell.Navbar>
        <AppShell.Main id="main" ref={main} tabIndex={-1} style={{ outline: 'none' }}>
          <OfflineBanner />
          <PageOutlet />
        </AppShell.Main>
      </AppShell>
    </>
  );
}

function SkipLink() {
  return (
    <a className="skip-link" href="#main">
      Skip to content
    </a>
  );
}

/** After a navigation the focus goes to the new page, as it does where pages are loaded as a whole. */
function useMainFocus() {
  const main = useRef<HTMLElement>(null);
  const [location] = useLocation();
  const shown = useRef(location);
  useEffect(() => {
    if (shown.current === location) return;
    shown.current = location;
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [location]);
  return main;
}
