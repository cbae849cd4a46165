import { Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import bell from '../../bell.svg';
import classes from './shell.module.css';

export function BrandLink() {
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
