import { AppShell, Burger, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { factoriesQuery } from '../../api/queries.ts';
import bell from '../../bell.svg';
import { useLiveEvents } from '../../parts/live/use-live-events.ts';
import { useRememberedFactory } from '../context/current-factory.ts';
import { PageOutlet } from '../page-outlet.tsx';
import { ColorSchemeToggle } from './color-scheme-toggle.tsx';
import { ConnectionState, OfflineBanner } from './connection.tsx';
import { FactorySwitcher } from './factory-switcher.tsx';
import { Navigation } from './navigation.tsx';
import classes from './shell.module.css';
import { UserMenu } from './user-menu.tsx';

/** The frame around every page: header, navigation and the page itself. */
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

/** Moves the focus to the new page after a navigation, as a page load does. */
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

function BrandLink() {
  return (
    <Link href="/" className={classes.brand} aria-label="Dockbell: overview">
      <Group gap="xs" wrap="nowrap">
        <img src={bell} width={28} height={28} alt="" />
        <Text fw={700} size="lg" visibleFrom="xs">
          Dockbell
        </Text>
      </Group>
    </Link>
  );
}

/** Reads the factories again after each reconciliation, because every page shows them. */
function useFreshFactories(): void {
  const queryClient = useQueryClient();
  useLiveEvents(({ type }) => {
    if (type === 'reconciliation') void queryClient.invalidateQueries({ queryKey: factoriesQuery.queryKey });
  });
}
