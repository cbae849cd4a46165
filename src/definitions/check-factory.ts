import { checkSchema } from './check-schema.ts';
import type { Findings } from './findings.ts';
import { parseYaml } from './parse-yaml.ts';

/** Checks the text of `factory.yaml`. Nothing of it is needed further on; what is wrong is in `findings`. */
export function checkFactory(text: string, findings: Findings): void {
  const parsed = parseYaml(text);
  if (parsed.ok) checkSchema('factory', parsed.yaml, findings);
  else findings.addAll(parsed.findings);
}
