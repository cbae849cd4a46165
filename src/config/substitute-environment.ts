import type { Environment } from '../domain/runs/reserved-variables.ts';

type Substitution =
  | { ok: true; text: string /** Was a reference replaced? */; isSubstituted: boolean }
  | { ok: false; message: string };

const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{/g;

/** Replaces `${NAME}` with the values of environment variables. `$${` is an escaped `${`. */
export function substituteEnvironment(text: string, env: Environment): Substitution {
  const problems: string[] = [];
  let isSubstituted = false;
  const replaced = text.replace(REFERENCE, (reference, name: string | undefined) => {
    if (reference === '$${') return '${';
    if (name === undefined) {
      problems.push(
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it shows what to write
        '"${" must be followed by the name of an environment variable and "}"; write "$${" for the characters "${"',
      );
      return '';
    }
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value === undefined) problems.push(`the environment variable ${name} is not set`);
    isSubstituted = true;
    return value ?? '';
  });
  return problems.length === 0
    ? { ok: true, text: replaced, isSubstituted }
    : { ok: false, message: [...new Set(problems)].join('; ') };
}
