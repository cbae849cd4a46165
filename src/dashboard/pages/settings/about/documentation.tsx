import { Anchor, List, SimpleGrid, Text, Title } from '@mantine/core';
import readme from '../../../../../docs/README.md?raw';
import { SectionCard } from '../../../parts/layout/section-card.tsx';
import { readDocumentList } from './read-document-list.ts';

/** URLs of the documentation of this version. It is part of the dashboard, so it works without internet access. */
const HREFS = import.meta.glob<string>('../../../../../docs/{*,guides/*,operations/*,reference/*}.md', {
  query: '?url',
  import: 'default',
  eager: true,
});

const GROUPS = readDocumentList(readme, (path) => HREFS[`../../../../../docs/${path}`]);

/** The documentation of this version, as Markdown. */
export function Documentation() {
  return (
    <SectionCard title="Documentation">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {GROUPS.map(({ title, documents }) => (
          <section key={title} aria-label={title}>
            <Title order={3} size="h6">
              {title}
            </Title>
            <List size="sm" listStyleType="none" mt={4} spacing={2}>
              {documents.map((document) => (
                <List.Item key={document.href}>
                  <Anchor href={document.href} target="_blank" rel="noreferrer" size="sm">
                    {document.title}
                  </Anchor>
                </List.Item>
              ))}
            </List>
          </section>
        ))}
      </SimpleGrid>
      <Text size="sm" c="dimmed" mt="md">
        Markdown files, also in the docs/ folder of the package.
      </Text>
    </SectionCard>
  );
}
