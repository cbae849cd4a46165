import { Box, Tabs } from '@mantine/core';
import { Info, KeyRound, ScrollText, Users } from 'lucide-react';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { addFactory, useCurrentFactory } from '../../shell/context/current-factory.ts';
import classes from './settings-frame.module.css';

const SECTIONS = [
  { path: '/settings', label: 'API tokens', icon: KeyRound },
  { path: '/settings/users', label: 'Users', icon: Users },
  { path: '/settings/audit', label: 'Audit log', icon: ScrollText },
  { path: '/settings/about', label: 'About', icon: Info },
];

/** The frame around each section of the settings. */
export function SettingsFrame({ children }: { children: ReactNode }) {
  const [location, navigate] = useLocation();
  const factory = useCurrentFactory();
  const section = SECTIONS.find(({ path }) => path === location)?.label ?? '';
  return (
    <>
      <PageHeader
        title="Settings"
        tabTitle={`${section} · Settings`}
        lead="Access and administration for all factories."
      />
      <Tabs value={location} onChange={(path) => path !== null && navigate(addFactory(path, factory))} mb="lg">
        <Tabs.List>
          {SECTIONS.map(({ path, label, icon: Icon }) => (
            <Tabs.Tab
              key={path}
              value={path}
              className={classes.tab}
              leftSection={
                <Box component="span" visibleFrom="xs" lh={0}>
                  <Icon size={16} aria-hidden />
                </Box>
              }
            >
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={location} pt="lg">
          {children}
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
