import { Button, Group, PasswordInput, Radio, Stack, Text, TextInput } from '@mantine/core';
import { type FormErrors, type UseFormReturnType, useForm } from '@mantine/form';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { suggestSecretName, WEBHOOK_NAME_PATTERN } from '../../../words/names.ts';
import { signatureSchemesQuery } from '../../api/queries.ts';
import type { SignatureScheme, Webhook } from '../../api/types.ts';
import type { WebhookWish } from '../../api/webhook-edits.ts';
import { SearchSelect } from '../../parts/form/search-select.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { SectionCard } from '../../parts/layout/section-card.tsx';
import { useLeaveGuard } from '../../shell/context/leave-guard.tsx';
import { nameMode } from './webhook-names.ts';

interface AddWebhookFormProps {
  onSubmit: (wish: WebhookWish) => void;
  /** Where giving it up leads. */
  cancelHref: string;
  isPending: boolean;
  error: unknown;
}

interface Fields {
  name: string;
  description: string;
  authMode: Webhook['auth_mode'];
  scheme: string | null;
  secret: string;
  secretName: string;
  deliveryIdHeader: string;
}

const BLANK: Fields = {
  name: '',
  description: '',
  authMode: 'token',
  scheme: null,
  secret: '',
  secretName: '',
  deliveryIdHeader: '',
};

/** The fields of the specification, each with what it does. */
export function AddWebhookForm({ onSubmit, cancelHref, isPending, error }: AddWebhookFormProps) {
  const { data: schemes } = useSuspenseQuery(signatureSchemesQuery);
  const form = useForm<Fields>({
    initialValues: BLANK,
    validate: {
      name: (name) =>
        WEBHOOK_NAME_PATTERN.test(name)
          ? null
          : 'Letters, digits, dots, dashes and underscores; it begins with a letter or a digit.',
      scheme: (scheme, { authMode }) => (authMode === 'signature' && scheme === null ? 'Choose the provider.' : null),
      secret: (secret, fields) => (secret === '' && needsSecret(findScheme(schemes, fields), fields) ? MISSING : null),
    },
  });
  useLeaveGuard(form.isDirty());
  const scheme = findScheme(schemes, form.values);
  // What is wrong may stand above what is seen of the page.
  const focusFirst = (errors: FormErrors) => form.getInputNode(Object.keys(errors)[0] ?? '')?.focus();
  return (
    <form onSubmit={form.onSubmit((fields) => onSubmit(composeWish(fields)), focusFirst)} noValidate>
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
            {form.values.authMode === 'signature' && <SchemeChoice form={form} schemes={schemes} />}
            <SecretField form={form} scheme={scheme} />
            <TextInput
              label="Secret name"
              description={saySecretName(form.values.name)}
              placeholder={form.values.name === '' ? undefined : suggestSecretName(form.values.name)}
              autoComplete="off"
              {...form.getInputProps('secretName')}
            />
          </Stack>
        </SectionCard>
        <SectionCard title="Delivery identity">
          <TextInput
            label="Delivery ID header"
            description={sayIdentity(scheme)}
            placeholder="X-Event-Id"
            autoComplete="off"
            {...form.getInputProps('deliveryIdHeader')}
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
  ['token', 'The sender puts a generated secret into the Authorization header. Fits whatever can set headers.'],
  ['url_token', 'The URL itself holds the secret. For senders that can set nothing but a URL.'],
  ['signature', 'The provider signs each request. Fits GitHub, Stripe, Slack and the others in the list.'],
] as const;

function ModeChoice({ form }: { form: Form }) {
  return (
    <Radio.Group label="How senders authenticate" {...form.getInputProps('authMode')}>
      <Stack gap="xs" mt="xs">
        {MODES.map(([mode, says]) => (
          <Radio.Card key={mode} value={mode} p="sm" radius="md" aria-label={nameMode(mode)}>
            <Group wrap="nowrap" align="flex-start">
              <Radio.Indicator mt={2} />
              <div>
                <Text fw={600} size="sm">
                  {nameMode(mode)}
                </Text>
                <Text size="sm" c="dimmed">
                  {says}
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
      description="Whose scheme the signatures follow."
      placeholder="Search"
      required
      nothingFoundMessage="No such provider. Many sign as Standard Webhooks do."
      data={schemes.map(({ name, title }) => ({ value: name, label: title })).sort(byLabel)}
      {...form.getInputProps('scheme')}
    />
  );
}

function byLabel(a: { label: string }, b: { label: string }): number {
  return a.label.localeCompare(b.label, 'en');
}

function SecretField({ form, scheme }: { form: Form; scheme: SignatureScheme | null }) {
  if (form.values.authMode !== 'signature') {
    return (
      <Text size="sm" c="dimmed">
        Generated when you create the webhook and shown once.
      </Text>
    );
  }
  if (scheme === null) return null;
  return (
    <PasswordInput
      label="Signing secret"
      description={saySecret(scheme)}
      autoComplete="off"
      {...form.getInputProps('secret')}
    />
  );
}

const MISSING = 'Give the secret here, or name the team secret below that holds it.';

/** Must it be given, for nobody else provides one? */
function needsSecret(scheme: SignatureScheme | null, { secretName }: Fields): boolean {
  if (scheme === null || scheme.generates_secret || secretName.trim() !== '') return false;
  return scheme.secret_issued !== 'after' && scheme.secret_issued !== 'handshake';
}

function saySecret({ title, secret_issued, generates_secret }: SignatureScheme): string {
  if (generates_secret) return 'Left blank, one is generated and shown once, for you to give to the sender.';
  if (secret_issued === 'after') {
    return `${title} issues it once it knows the URL. Leave it blank: the webhook is created disabled, and a second step takes the secret.`;
  }
  if (secret_issued === 'handshake') return `${title} sends it to the URL by itself. Leave it blank.`;
  return secret_issued === 'app'
    ? `As ${title} shows it with the app.`
    : `The secret that you enter at ${title} as well. It has to be given here.`;
}

function sayIdentity(scheme: SignatureScheme | null): string {
  const own = scheme?.identities[0];
  if (own !== undefined) return `Defaults to ${own}, which the provider sets.`;
  return 'Header with the event ID of the sender. If omitted, identical bodies count as duplicates unless the sender sets X-Service-Delivery-Id.';
}

function saySecretName(name: string): string {
  const suggested = name === '' ? 'a name made from the name of the webhook' : suggestSecretName(name);
  return `Defaults to ${suggested}, with a number if that name exists. Enter the name of an existing secret to reuse it.`;
}

function findScheme(schemes: readonly SignatureScheme[], { authMode, scheme }: Fields): SignatureScheme | null {
  return authMode === 'signature' ? (schemes.find(({ name }) => name === scheme) ?? null) : null;
}

function composeWish(fields: Fields): WebhookWish {
  const { name, authMode, scheme, secret } = fields;
  const [description, secretName, deliveryIdHeader] = [
    fields.description.trim(),
    fields.secretName.trim(),
    fields.deliveryIdHeader.trim(),
  ];
  return {
    name,
    auth_mode: authMode,
    ...(description === '' ? {} : { description }),
    ...(authMode !== 'signature' || scheme === null ? {} : { signature_scheme: scheme }),
    ...(authMode !== 'signature' || secret === '' ? {} : { secret }),
    ...(secretName === '' ? {} : { secret_name: secretName }),
    ...(deliveryIdHeader === '' ? {} : { delivery_id_header: deliveryIdHeader }),
  };
}
