import { Stack, Text, Title } from '@mantine/core';
import type { AutomationBody } from '../../../api/automations.ts';
import { CodeBlock } from '../../../parts/copy/code-block.tsx';
import { ForeignText } from '../../../parts/text/foreign-text.tsx';
import { writeFile, writeYaml } from './write-yaml.ts';

interface CopyForFileProps {
  body: AutomationBody;
  /** The file to edit or to add. */
  file: string;
  isNew: boolean;
}

/** What was tried out, as it is written in the file that decides. */
export function CopyForFile({ body, file, isNew }: CopyForFileProps) {
  return (
    <Stack component="section" aria-label="For the file" gap="xs">
      <Title order={2} size="h4">
        For the file
      </Title>
      <Text size="sm">
        {isNew ? 'Add the file ' : 'Replace triggers in the front matter of '}
        <code>
          <ForeignText text={file} />
        </code>
        {isNew ? ' with this text, and commit it:' : ' by this, and commit it:'}
      </Text>
      <CodeBlock code={isNew ? writeFile(body) : writeYaml({ triggers: body.triggers })} what="YAML for the file" />
    </Stack>
  );
}
