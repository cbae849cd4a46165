import { UntrustedText } from '../text/untrusted-text.tsx';
import classes from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';

interface CodeBlockProps {
  code: string;
  /** What the code is, for example "curl command". */
  what: string;
  /** Wraps long lines. For prose and one-line commands. */
  wraps?: boolean;
}

/** Preformatted text with a copy button. */
export function CodeBlock({ code, what, wraps = false }: CodeBlockProps) {
  return (
    <div className={classes.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      <section className={classes.code} aria-label={what} data-wraps={wraps} tabIndex={0}>
        <pre>
          <code>
            <UntrustedText text={code} keepLayout />
          </code>
        </pre>
      </section>
      <div className={classes.copy}>
        <CopyButton value={code} what={what} />
      </div>
    </div>
  );
}
