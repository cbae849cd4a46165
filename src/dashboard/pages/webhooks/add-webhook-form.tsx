import { Button, Checkbox, Group, PasswordInput, Radio, Stack, Text, TextInput } from '@mantine/core';
import { type FormErrors, type UseFormReturnType, useForm } from '@mantine/form';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { SignatureScheme, Webhook } from '../../../client/api-types.ts';
import { suggestSecretName, WEBHOOK_NAME_PATTERN } from '../../../domain/words/names.ts';
import { PERIOD_PATTERN } from '../../../domain/words/quantities.ts';
import { signatureSchemesQuery } from '../../api/queries.ts';
import type { CreateWebhookRequest } from '../../api/webhook-edits.ts';
import { SearchSelect } from '../../parts/form/search-select.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { SectionCard } from '../../parts/layout/section-card.tsx';
import { useLeaveGuard } from '../../shell/context/leave-guard.tsx';
import {
  BLANK_PROVIDER,
  PROVIDER_CHECKS,
  ProviderFields,
  type ProviderInputs,
  readProviderInputs,
} from './provider/provider-fields.tsx';
import { nameMode } from './webhook-names.ts';

interface AddWebhookFormProps {
  onSubmit: (request: CreateWebhookRequest) => void;
  /** Target of the cancel button. */
  cancelHref: string;
  isPending: boolean;
  error: unknown;
}

/** The inputs of the form, named as the API names the fields of a webhook. */
interface Fields extends ProviderInputs {
  name: string;
  description: string;
  auth_mode: Webhook['auth_mode'];
  signature_scheme: string | null;
  secret: string;
  secret_name: string;
  is_form: boolean;
  form_field: string;
  delivery_id_header: string;
  delivery_id_path: string;
  deduplicate: boolean;
  expect_every: string;
}

const EXPECTED_INTERVAL = new RegExp(PERIOD_PATTERN);

const BLANK: Fields = {
  name: '',
  description: '',
  auth_mode: 'token',
  signature_scheme: null,
  secret: '',
  secret_name: '',
  is_form: false,
  form_field: '',
  delivery_id_header: '',
  delivery_id_path: '',
  deduplicate: true,
  expect_every: '',
  ...BLANK_PROVIDER,
};

/** All fields of a new webhook. */
export function AddWebhookForm({ onSubmit, cancelHref, isPending, error }: AddWebhookFormProps) {
  const { data: schemes } = useSuspenseQuery(signatureSchemesQuery);
  const form = useForm<Fields>({
    initialValues: BLANK,
    validate: {
      ...PROVIDER_CHECKS,
      name: (name) =>
        WEBHOOK_NAME_PATTERN.test(name)
          ? null
          : 'Use letters, digits, dots, hyphens and underscores. Start with a letter or a digit.',
      signature_scheme: (scheme, { auth_mode }) =>
        auth_mode === 'signature' && scheme === null ? 'Select a provider.' : null,
      delivery_id_path: (path, { delivery_id_header: header }) =>
        path.trim() !== '' && header.trim() !== '' ? 'Set the header or the path, not both.' : null,
      expect_every: (interval) =>
        interval.trim() === '' || EXPECTED_INTERVAL.test(interval.trim()) ? null : 'Use 1s to 31d, such as 24h.',
      secret: (secret, fields) => (secret === '' && needsSecret(findScheme(schemes, fields), fields) ? MISSING : null),
    },
  });
  useLeaveGuard(form.isDirty());
  const scheme = findScheme(schemes, form.values);
  // The first field with an error may be out of view.
  const focusFirst = (errors: FormErrors) => form.getInputNode(Object.keys(errors)[0] ?? '')?.focus();
  return (
    <form onSubmit={form.onSubmit((fields) => onSubmit(buildRequest(fields)), focusFirst)} noValidate>
      <Stack maw={720}>
        <SectionCard title="Webhook">
          <Stack>
            <TextInput
              label="Name"
              description="Shown in the automation editor."
              placeholder="internal-ci"
              required
              autoComplete="off"
              {...form.getInputProps('name')}
            />
            <TextInput label="Description" autoComplete="off" {...form.getInputProps('description')} />
          </Stack>
        </SectionCard>
        <SectionCard title="Authentication">
          <Stack>
            <ModeChoice form={form} />
            {form.values.auth_mode === 'signature' && <SchemeChoice form={form} schemes={schemes} />}
            <SecretField form={form} scheme={scheme} />
            <TextInput
              label="Secret name"
              description={describeSecretName(form.values.name)}
              placeholder={form.values.name === '' ? undefined : suggestSecretName(form.values.name)}
              autoComplete="off"
              {...form.getInputProps('secret_name')}
            />
          </Stack>
        </SectionCard>
        <SectionCard title="Body">
          <Stack>
            <Checkbox
              label="The sender posts forms"
              description="For application/x-www-form-urlencoded. The fields become JSON. JSON in the only field payload becomes the payload."
              {...form.getInputProps('is_form', { type: 'checkbox' })}
            />
            {form.values.is_form && (
              <TextInput
                label="Form field"
                description="If the sender posts JSON in another field: its name. The JSON becomes the payload."
                placeholder="mandrill_events"
                autoComplete="off"
                {...form.getInputProps('form_field')}
              />
            )}
          </Stack>
        </SectionCard>
        <SectionCard title="Delivery identity">
          <Stack>
            <TextInput
              label="Delivery ID header"
              description={describeIdentity(scheme)}
              placeholder="X-Event-Id"
              autoComplete="off"
              {...form.getInputProps('delivery_id_header')}
            />
            <TextInput
              label="Delivery ID path"
              description="If the sender writes its event ID into the payload: the keys to it, separated by dots."
              placeholder="event.id"
              autoComplete="off"
              {...form.getInputProps('delivery_id_path')}
            />
            <Checkbox
              label="Recognize repeated deliveries"
              description="A delivery with the ID of an earlier one is a duplicate and starts no runs. Off: every delivery is new."
              {...form.getInputProps('deduplicate', { type: 'checkbox' })}
            />
          </Stack>
        </SectionCard>
        <SectionCard title="Provider triggers">
          <ProviderFields form={form} />
        </SectionCard>
        <SectionCard title="Alert">
          <TextInput
            label="Expected interval"
            description="An alert opens if no delivery was accepted for this time. Empty: none is expected."
            placeholder="24h"
            autoComplete="off"
            {...form.getInputProps('expect_every')}
          />
        </SectionCard>
        {error !== null && <ErrorPanel error={error} />}
        <Group justify="flex-end">
          <Button component={Link} href={cancelHref} variant="default">
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            Add webhook
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type Form = UseFormReturnType<Fields>;

const MODES = [
  ['token', 'The sender puts a generated secret in the Authorization header. For senders that can set headers.'],
  ['url_token', 'The URL contains the secret. For senders that only take a URL.'],
  ['signature', 'The provider signs each request. For GitHub, Stripe, Slack and the other providers in the list.'],
] as const;

function ModeChoice({ form }: { form: Form }) {
  return (
    <Radio.Group label="How senders authenticate" {...form.getInputProps('auth_mode')}>
      <Stack gap="xs" mt="xs">
        {MODES.map(([mode, description]) => (
          <Radio.Card key={mode} value={mode} p="sm" radius="md" aria-label={nameMode(mode)}>
            <Group wrap="nowrap" align="flex-start">
              <Radio.Indicator mt={2} />
              <div>
                <Text fw={600} size="sm">
                  {nameMode(mode)}
                </Text>
                <Text size="sm" c="dimmed">
                  {description}
                </Text>
              </div>
            </Group>
          </Radio.Card>
        ))}
      </Stack>
    </Radio.Group>
  );
}

function SchemeChoice({ form, schemes }: { form: Form; schemes: readonly SignatureScheme[] }) {
  return (
    <SearchSelect
      label="Provider"
      description="Signature scheme of the sender."
      placeholder="Search"
      required
      nothingFoundMessage="No matching provider. Many providers use Standard Webhooks."
      data={schemes.map(({ name, title }) => ({ value: name, label: title })).sort(byLabel)}
      {...form.getInputProps('signature_scheme')}
    />
  );
}

function byLabel(a: { label: string }, b: { label: string }): number {
  return a.label.localeCompare(b.label, 'en');
}

function SecretField({ form, scheme }: { form: Form; scheme: SignatureScheme | null }) {
  if (form.values.auth_mode !== 'signature') {
    return (
      <Text size="sm" c="dimmed">
        The secret is generated when you create the webhook, and shown once.
      </Text>
    );
  }
  if (scheme === null) return null;
  return (
    <PasswordInput
      label="Signing secret"
      description={describeSecret(scheme)}
      autoComplete="off"
      {...form.getInputProps('secret')}
    />
  );
}

const MISSING = 'Enter the secret, or the name of an existing team secret below.';

/** Whether the user must enter a secret, because none is generated or issued later. */
function needsSecret(scheme: SignatureScheme | null, { secret_name }: Fields): boolean {
  if (scheme === null || scheme.generates_secret || secret_name.trim() !== '') return false;
  return scheme.secret_issued !== 'after' && scheme.secret_issued !== 'handshake';
}

function describeSecret({ title, secret_issued, generates_secret }: SignatureScheme): string {
  if (generates_secret) return 'Leave blank to generate a secret, which is shown once.';
  if (secret_issued === 'after') {
    return `${title} issues the secret after you enter the URL there. Leave this blank: the webhook is created disabled, and you enter the secret in a second step.`;
  }
  if (secret_issued === 'handshake') return `${title} sends the secret to the URL automatically. Leave this blank.`;
  return secret_issued === 'app'
    ? `The secret that ${title} shows for the app.`
    : `Required. Enter the same secret at ${title}.`;
}

function describeIdentity(scheme: SignatureScheme | null): string {
  const providerHeader = scheme?.identities[0];
  if (providerHeader !== undefined) return `Defaults to ${providerHeader}, which the provider sets.`;
  return 'Header with the event ID of the sender. If empty, identical bodies count as duplicates unless the sender sets X-Service-Delivery-Id.';
}

function describeSecretName(name: string): string {
  const suggested = name === '' ? 'a name derived from the name of the webhook' : suggestSecretName(name);
  return `Defaults to ${suggested}, with a number appended if that name exists. Enter the name of an existing secret to reuse it.`;
}

function findScheme(schemes: readonly SignatureScheme[], fields: Fields): SignatureScheme | null {
  const { auth_mode, signature_scheme } = fields;
  return auth_mode === 'signature' ? (schemes.find(({ name }) => name === signature_scheme) ?? null) : null;
}

/** Empty inputs are omitted. The scheme and the secret belong to the mode `signature` only. */
function buildRequest({
  name,
  auth_mode,
  signature_scheme,
  secret,
  is_form,
  form_field,
  deduplicate,
  ...others
}: Fields): CreateWebhookRequest {
  const { serves, names, bot_username, ignore_actors } = readProviderInputs(others);
  const { description, secret_name, delivery_id_header, delivery_id_path, expect_every } = others;
  const texts = { description, secret_name, delivery_id_header, delivery_id_path, expect_every };
  const filled = Object.entries(texts).flatMap(([key, text]) => (text.trim() === '' ? [] : [[key, text.trim()]]));
  const isSigned = auth_mode === 'signature';
  return {
    name,
    auth_mode,
    ...(isSigned && signature_scheme !== null ? { signature_scheme } : {}),
    ...(isSigned && secret !== '' ? { secret } : {}),
    ...(is_form ? { body_format: 'form' } : {}),
    ...(is_form && form_field.trim() !== '' ? { form_field: form_field.trim() } : {}),
    ...(deduplicate ? {} : { deduplicate }),
    ...Object.fromEntries(filled),
    ...(serves === null ? {} : { serves }),
    ...(names === null ? {} : { names }),
    ...(bot_username === null ? {} : { bot_username }),
    ...(ignore_actors.length === 0 ? {} : { ignore_actors }),
  };
}
