import {
  ActionIcon,
  Button,
  CopyButton,
  Group,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
  Title,
  Tooltip,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Check, Download, Filter } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Delivery } from '../../../client/api-types.ts';
import type { Json } from '../../../client/openapi.d.ts';
import { isNotFound } from '../../../client/read-answer.ts';
import { escapeText } from '../../../domain/words/escape-text.ts';
import { formatPath } from '../../../domain/words/payload-filters.ts';
import { payloadHref, payloadQuery } from '../../api/deliveries.ts';
import { CopyButton as CopyText } from '../../parts/copy/copy-button.tsx';
import { buildFilter, type JsonPath } from '../../parts/json/json-path.ts';
import { JsonTree } from '../../parts/json/json-tree.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import classes from './deliveries.module.css';

type View = 'tree' | 'raw';

/** The payload of an accepted delivery, as a tree or as raw text. */
export function DeliveryPayload({ delivery }: { delivery: Pick<Delivery, 'factory' | 'id'> }) {
  const { data, error, refetch } = useQuery(payloadQuery(delivery.factory, delivery.id));
  const [view, setView] = useState<View>('tree');
  return (
    <Stack component="section" gap="xs" aria-label="Payload">
      <Group justify="space-between">
        <Title order={2} size="h5">
          Payload
        </Title>
        {data !== undefined && (
          <Group gap="xs">
            <SegmentedControl
              size="xs"
              aria-label="Payload view"
              value={view}
              onChange={(chosen) => setView(chosen as View)}
              data={[
                { value: 'tree', label: 'Tree' },
                { value: 'raw', label: 'Raw' },
              ]}
            />
            <CopyText value={data} what="payload" />
            <Button
              component="a"
              href={payloadHref(delivery.id)}
              download={`${delivery.id}.json`}
              variant="default"
              size="xs"
              leftSection={<Download size={14} aria-hidden />}
            >
              Download
            </Button>
          </Group>
        )}
      </Group>
      {isNotFound(error) ? (
        <Text size="sm" c="dimmed">
          The payload is no longer stored.
        </Text>
      ) : error !== null ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton height={96} />
      ) : (
        <PayloadText text={data} view={view} />
      )}
    </Stack>
  );
}

function PayloadText({ text, view }: { text: string; view: View }) {
  const value = useMemo(() => JSON.parse(text) as Json, [text]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
    <section className={classes.payload} aria-label="Body" tabIndex={0}>
      {view === 'tree' ? (
        <JsonTree label="Payload" value={value} renderActions={renderCopyAsFilter} />
      ) : (
        <pre className={classes.raw}>
          <UntrustedText text={text} keepLayout />
        </pre>
      )}
    </section>
  );
}

function renderCopyAsFilter(path: JsonPath, value: Json) {
  const filter = buildFilter(path, value);
  if (filter === null) return null;
  const label = `Copy ${escapeText(formatPath(path))} as a payload filter`;
  return (
    <CopyButton value={JSON.stringify(filter, null, 2)} timeout={2000}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : 'Copy as filter'}>
          <ActionIcon variant="subtle" color="gray" size="sm" onClick={copy} aria-label={label}>
            {copied ? <Check size={14} /> : <Filter size={14} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}
