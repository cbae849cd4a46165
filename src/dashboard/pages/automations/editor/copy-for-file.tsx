import { Stack, Text, Title } from '@mantine/core';
import { writeFrontMatterFile, writeYaml } from '../../../../domain/words/yaml-text.ts';
import type { AutomationRequest } from '../../../api/automations.ts';
import { CodeBlock } from '../../../parts/copy/code-block.tsx';
import { UntrustedText } from '../../../parts/text/untrusted-text.tsx';

interface CopyForFileProps {
  body: AutomationRequest;
  /** The file to edit or add. */
  file: string;
  isNew: boolean;
}

/** The YAML of the draft, for the file in the repository. */
export function CopyForFile({ body, file, isNew }: CopyForFileProps) {
  return (
    <Stack component="section" aria-label="File content" gap="xs">
      <Title order={2} size="h4">
        File content
      </Title>
      <Text size="sm">
        {isNew ? 'Add the file ' : 'Replace the triggers in the front matter of '}
        <code>
          <UntrustedText text={file} />
        </code>
        {isNew ? ' with this content and commit it:' : ' with this and commit it:'}
      </Text>
      <CodeBlock code={isNew ? writeFile(body) : writeYaml({ triggers: body.triggers })} what="YAML for the file" />
    </Stack>
  );
}

/** The file of a new automation, without the keys whose value is the default. */
function writeFile({ description, enabled, agent, triggers, prompt, ...overrides }: AutomationRequest): string {
  const keys = {
    description: description ?? undefined,
    enabled: enabled ? undefined : false,
    agent: agent ?? undefined,
    triggers,
    ...overrides,
  };
  return writeFrontMatterFile(keys, `\n${prompt}${prompt.endsWith('\n') ? '' : '\n'}`);
}
