import { Button, Menu, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Check, ChevronDown, Factory as FactoryIcon } from 'lucide-react';
import { useLocation } from 'wouter';
import type { Factory } from '../../../client/api-types.ts';
import { factoriesQuery } from '../../api/queries.ts';
import { buildPath, findRoute } from '../../routes.ts';
import { addFactory, useCurrentFactory } from '../context/current-factory.ts';

/** Shows the current factory. With several factories it is a menu. */
export function FactorySwitcher() {
  const { data: factories } = useSuspenseQuery(factoriesQuery);
  const current = useCurrentFactory();
  const [location, navigate] = useLocation();
  if (current === null) return null;
  if (factories.length === 1) {
    return (
      <Text size="sm" c="dimmed" truncate maw={180}>
        {current.name}
      </Text>
    );
  }
  const choose = (factory: Factory) => navigate(findPageOf(factory, location));
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          leftSection={<FactoryIcon size={14} />}
          rightSection={<ChevronDown size={14} />}
          aria-label={`Factory ${current.name}. Switch factory`}
          maw={200}
          miw={0}
        >
          {current.name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {factories.map((factory) => (
          <Menu.Item
            key={factory.name}
            rightSection={factory.name === current.name ? <Check size={16} aria-label="selected" /> : null}
            onClick={() => choose(factory)}
          >
            {factory.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The same page of another factory, or its overview if the page belongs to one object. */
function findPageOf(factory: Factory, location: string): string {
  const path = findRoute(location)?.path ?? '';
  if (!path.includes(':')) return addFactory(location, factory);
  const isOfOneObject = path.replace(':factory', '').includes(':');
  return buildPath(isOfOneObject ? '/factories/:factory' : path, factory.name);
}
