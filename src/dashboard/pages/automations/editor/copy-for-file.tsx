import { Stack, Text, Title } from '@mantine/core';
import type { AutomationBody } from '../../../api/automations.ts';
import { CodeBlock } from '../../../parts/copy/code-block.tsx';
import { ForeignText } from '../../../parts/text/foreign-text.tsx';
import { writeFile, writeYaml } from './write-yaml.ts';

interface CopyForFileProps {
  body: AutomationBody;
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
          <ForeignText text={file} />
        </code>
        {isNew ? ' with this content and commit it:' : ' with this and commit it:'}
      </Text>
      <CodeBlock code={isNew ? writeFile(body) : writeYaml({ triggers: body.triggers })} what="YAML for the file" />
    </Stack>
  );
}
