import type { ComboboxItem } from '@mantine/core';
import { describe, expect, it } from 'vitest';
import { fitOptions } from './fit-options.ts';

const list = (...labels: string[]): ComboboxItem[] => labels.map((label) => ({ value: label, label }));

describe('fitOptions', () => {
  it('returns options that contain the text in any case, in their order', () => {
    expect(fitOptions(list('GitLab', 'Stripe', 'GitHub'), ' git')).toEqual(list('GitLab', 'GitHub'));
    expect(fitOptions(list('GitLab', 'Stripe'), '')).toEqual(list('GitLab', 'Stripe'));
    expect(fitOptions(list('GitLab'), 'nothing')).toEqual([]);
  });

  it('puts an exact match first', () => {
    expect(fitOptions(list('Airline', 'Online', 'Line'), 'line')).toEqual(list('Line', 'Airline', 'Online'));
  });

  it('puts the group of an exact match first', () => {
    const groups = [
      { group: 'Users', items: list('build-bot') },
      { group: 'API tokens', items: list('build', 'bot-2', 'bot') },
    ];
    expect(fitOptions(groups, 'bot')).toEqual([
      { group: 'API tokens', items: list('bot', 'bot-2') },
      { group: 'Users', items: list('build-bot') },
    ]);
  });
});
