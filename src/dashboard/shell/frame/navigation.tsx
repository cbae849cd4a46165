import { NavLink, Stack } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { buildPath, loadAhead, ROUTES } from '../../routes.ts';
import { addFactory, useCurrentFactory } from '../context/current-factory.ts';
import classes from './shell.module.css';

/** Links to the routes that have a navigation entry. */
export function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const factory = useCurrentFactory();
  const [location] = useLocation();
  return (
    <Stack gap={4}>
      {ROUTES.map((route) => {
        const { path, navigation } = route;
        if (navigation === null || (factory === null && path.includes(':factory'))) return null;
        const { label, icon: Icon, Count } = navigation;
        const page = buildPath(path, factory?.name ?? '');
        const href = path.includes(':factory') ? page : addFactory(page, factory);
        const isCurrent = isWithin(location, page, path);
        return (
          <NavLink
            key={path}
            className={classes.link}
            component={Link}
            href={href}
            label={label}
            leftSection={<Icon size={18} aria-hidden />}
            rightSection={Count === undefined ? undefined : <Count />}
            active={isCurrent}
            aria-current={isCurrent ? 'page' : undefined}
            onClick={onNavigate}
            onMouseEnter={() => void loadAhead(route)}
            onFocus={() => void loadAhead(route)}
          />
        );
      })}
    </Stack>
  );
}

/** The overview's path is a prefix of all other paths of its factory, so it must match exactly. */
function isWithin(location: string, page: string, path: string): boolean {
  return location === page || (path !== '/factories/:factory' && location.startsWith(`${page}/`));
}
