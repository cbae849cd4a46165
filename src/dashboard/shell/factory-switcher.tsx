import { Button, Menu, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Check, ChevronDown, Factory as FactoryIcon } from 'lucide-react';
import { useLocation } from 'wouter';
import { factoriesQuery } from '../api/queries.ts';
import { rememberFactory, useCurrentFactory } from './current-factory.ts';

/** Names the factory that is looked at; a menu where there are several. */
export function FactorySwitcher() {
  const { data: factories } = useSuspenseQuery(factoriesQuery);
  const current = useCurrentFactory();
  const [, navigate] = useLocation();
  if (current === null) return null;
  if (factories.length === 1) {
    return (
      <Text size="sm" c="dimmed" truncate maw={180}>
        {current.name}
      </Text>
    );
  }
  const choose = (name: string) => {
    rememberFactory(name);
    navigate(`/factories/${encodeURIComponent(name)}`);
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          leftSection={<FactoryIcon size={14} />}
          rightSection={<ChevronDown size={14} />}
          aria-label={`Factory ${current.name}. Choose another`}
          maw={200}
        >
          {current.name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {factories.map(({ name }) => (
          <Menu.Item
            key={name}
            rightSection={name === current.name ? <Check size={16} aria-label="chosen" /> : null}
            onClick={() => choose(name)}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
