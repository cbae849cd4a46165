import type { ProblemCollector } from '../file-diagnostics.ts';
import { toPosition } from '../yaml/positions.ts';

interface CredentialForm {
  name: string;
  pattern: RegExp;
}

// Only formats with a prefix that the issuer documents, so that false positives are rare.
const FORMS: readonly CredentialForm[] = [
  { name: 'a generated secret or token of Dockbell', pattern: /\bdb[sk]_[A-Za-z0-9_-]{43}/ },
  { name: 'a secret key of Stripe', pattern: /\b[sr]k_live_[A-Za-z0-9]{16,}/ },
  { name: 'a signing secret of a webhook', pattern: /\bwhsec_[A-Za-z0-9+/=]{24,}/ },
  { name: 'a token of GitHub', pattern: /\b(?:gh[opsru]_[A-Za-z0-9]{36}|github_pat_\w{50,})/ },
  { name: 'a token of GitLab', pattern: /\bglpat-[\w-]{20,}/ },
  { name: 'a token of Slack', pattern: /\bxox[abeprs]-[A-Za-z0-9-]{10,}/ },
  { name: 'an access key of AWS', pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/ },
  { name: 'an API key of Google', pattern: /\bAIza[\w-]{35}/ },
  { name: 'an API key of Anthropic or OpenAI', pattern: /\bsk-(?:ant|proj)-[\w-]{20,}/ },
  { name: 'a token of npm', pattern: /\bnpm_[A-Za-z0-9]{36}/ },
  { name: 'a private key', pattern: /-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY-----/ },
];

// Placeholders in documentation: EXAMPLE, xxxxxxxx, 00000000.
const PLACEHOLDER = /EXAMPLE|(.)\1{7}/i;

/**
 * Warns about text in a definition file, including comments, that looks like a credential: anyone who can read the
 * repository can use it. The diagnostic never contains the value. Each format is reported once.
 */
export function checkExposedSecret(text: string, diagnostics: ProblemCollector): void {
  for (const { name, pattern } of FORMS) {
    const found = pattern.exec(text);
    if (found === null || (!found[0].startsWith('-----') && PLACEHOLDER.test(found[0]))) continue;
    const message = `This looks like ${name}. Anyone who can read the repository can use it.`;
    const hint =
      'Revoke the credential at its issuer, because the git history keeps it. Store the new one with "dockbell secret create", and use its name here.';
    diagnostics.add({ rule: 'file/exposed-secret', at: toPosition(text, found.index), path: [], message, hint });
  }
}
