import { Code } from '@mantine/core';
import { UntrustedText } from './untrusted-text.tsx';

/** A name or an ID that somebody else wrote, as code. */
export function CodeText({ text }: { text: string }) {
  return (
    <Code>
      <UntrustedText text={text} />
    </Code>
  );
}
