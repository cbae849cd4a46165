import { Select, Stack, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Webhook } from '../../../../client/api-types.ts';
import { PROVIDER_TITLES } from '../../../../domain/words/names.ts';
import { formatNames, parseNames, readLines } from './name-lines.ts';

/** The keys of a webhook about triggers of providers, as text that people edit. */
export interface ProviderInputs {
  serves: string;
  channels: string;
  users: string;
  teams: string;
  bot_username: string;
  ignore_actors: string;
}

type ProviderKeys = Pick<Webhook, 'serves' | 'names' | 'bot_username' | 'ignore_actors'>;

const BY_SCHEME = '';

export const BLANK_PROVIDER: ProviderInputs = {
  serves: BY_SCHEME,
  channels: '',
  users: '',
  teams: '',
  bot_username: '',
  ignore_actors: '',
};

export function toProviderInputs({ serves, names, bot_username, ignore_actors }: ProviderKeys): ProviderInputs {
  return {
    serves: serves ?? BY_SCHEME,
    channels: formatNames(names?.channels),
    users: formatNames(names?.users),
    teams: formatNames(names?.teams),
    bot_username: bot_username ?? '',
    ignore_actors: ignore_actors.join('\n'),
  };
}

/** Valid inputs as the API names the fields. */
export function readProviderInputs(inputs: ProviderInputs): ProviderKeys {
  const { serves, bot_username: bot, ignore_actors: actors } = inputs;
  const kinds = (['channels', 'users', 'teams'] as const).flatMap((kind) => {
    const ids = parseNames(inputs[kind]) ?? {};
    return Object.keys(ids).length === 0 ? [] : [[kind, ids] as const];
  });
  return {
    serves: serves === BY_SCHEME ? null : (serves as ProviderKeys['serves']),
    names: kinds.length === 0 ? null : Object.fromEntries(kinds),
    bot_username: bot.trim() === '' ? null : bot.trim(),
    ignore_actors: readLines(actors),
  };
}

const checkNames = (text: string) => (parseNames(text) === null ? 'Use one name = ID per line.' : null);

export const PROVIDER_CHECKS = { channels: checkNames, users: checkNames, teams: checkNames };

const CHOICES = [
  { value: BY_SCHEME, label: 'Provider of the signature' },
  ...Object.entries(PROVIDER_TITLES).map(([value, label]) => ({ value, label })),
  { value: 'none', label: 'No provider' },
];

/** Inputs for what a webhook serves, and for names and accounts at the provider. */
export function ProviderFields<Inputs extends ProviderInputs>({ form }: { form: UseFormReturnType<Inputs> }) {
  const { serves } = form.values;
  // Other inputs stay visible while they have a value, so that it can be removed.
  const shows = (provider: string, text: string) => serves === BY_SCHEME || serves === provider || text !== '';
  return (
    <Stack>
      <Select
        label="Serves triggers of"
        description="Provider whose events arrive here, for all automations of the factory."
        data={CHOICES}
        allowDeselect={false}
        {...form.getInputProps('serves')}
      />
      <Textarea
        label="Ignored actors"
        description="Accounts at the provider that your agents use, one per line. Their events start nothing."
        placeholder="factory-bot"
        autosize
        minRows={2}
        {...form.getInputProps('ignore_actors')}
      />
      {shows('gitlab', form.values.bot_username) && (
        <TextInput
          label="Bot username"
          description="GitLab: username whose mention starts bot_mentioned."
          placeholder="factory-bot"
          autoComplete="off"
          {...form.getInputProps('bot_username')}
        />
      )}
      {shows('slack', form.values.channels) && (
        <NamesInput
          label="Channel names"
          description="Slack"
          placeholder="triage = C0123456789"
          props={form.getInputProps('channels')}
        />
      )}
      {shows('slack', form.values.users) && (
        <NamesInput
          label="User names"
          description="Slack"
          placeholder="ann = U0456789012"
          props={form.getInputProps('users')}
        />
      )}
      {shows('teams', form.values.teams) && (
        <NamesInput
          label="Team IDs"
          description="Microsoft Teams: IDs in Microsoft Graph"
          placeholder="fce9ccd5-cbc5-4e4a-9a4a-3b4ef0e1d6a1 = 19:a1b2c3@thread.tacv2"
          props={form.getInputProps('teams')}
        />
      )}
    </Stack>
  );
}

interface NamesInputProps {
  label: string;
  description: string;
  placeholder: string;
  props: object;
}

function NamesInput({ label, description, placeholder, props }: NamesInputProps) {
  return (
    <Textarea
      label={label}
      description={`${description}, with the ID in payloads. One name = ID per line.`}
      placeholder={placeholder}
      autosize
      minRows={2}
      {...props}
    />
  );
}
