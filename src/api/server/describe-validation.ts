import type { FastifySchemaValidationError } from 'fastify';
import type { ProblemItem } from '../../domain/errors.ts';

/** A finding of the validator, with the schema that it is about. */
type Finding = FastifySchemaValidationError & { parentSchema?: { anyOf?: { required?: string[] }[] } };

/**
 * What is wrong with a part of a request. Names, never values: what was sent may be a secret. Of a choice between
 * several forms, only the form that was meant is described, or else which forms there are.
 */
export function describeFindings(findings: readonly Finding[], part: ProblemItem['in']): ProblemItem[] {
  const choices = findings.filter(({ keyword }) => keyword === 'anyOf');
  const isInside = (finding: Finding) => choices.some((choice) => isBranch(choice, finding));
  const own = findings.filter((finding) => !choices.includes(finding) && !isInside(finding));
  return [
    ...own.map((finding) => describeFinding(finding, part)),
    ...choices
      .filter((choice) => !isInside(choice))
      .flatMap((choice) =>
        describeChoice(
          choice,
          findings.filter((finding) => isBranch(choice, finding)),
          part,
        ),
      ),
  ];
}

function isBranch(choice: Finding, finding: Finding): boolean {
  return finding !== choice && finding.schemaPath.startsWith(`${choice.schemaPath}/`);
}

function describeChoice(choice: Finding, inside: readonly Finding[], part: ProblemItem['in']): ProblemItem[] {
  const branches = new Map<string, Finding[]>();
  for (const finding of inside) {
    const branch = finding.schemaPath.slice(choice.schemaPath.length + 1).split('/', 1)[0]!;
    branches.set(branch, [...(branches.get(branch) ?? []), finding]);
  }
  const forms = (choice.parentSchema?.anyOf ?? []).flatMap(({ required }) =>
    required ? [required.join(' and ')] : [],
  );
  const all = [...branches.values()];
  const meant = all.find((branch) => branch.every(({ keyword }) => keyword !== 'required'));
  if (meant !== undefined || forms.length === 0) {
    const [closest = []] = meant === undefined ? all.sort((a, b) => a.length - b.length) : [meant];
    return closest.map((finding) => describeFinding(finding, part));
  }
  const unknown = all[0]!.filter((finding) => all.every((branch) => branch.some((other) => isSameKey(finding, other))));
  const needed = { pointer: `#${choice.instancePath}`, in: part, detail: `must have ${forms.join(', or ')}` };
  return [...unknown.map((finding) => describeFinding(finding, part)), needed];
}

function isSameKey(one: Finding, other: Finding): boolean {
  const key = one.params.additionalProperty;
  return key !== undefined && key === other.params.additionalProperty;
}

function describeFinding(finding: Finding, part: ProblemItem['in']): ProblemItem {
  const { missingProperty, additionalProperty, allowedValues } = finding.params;
  const child = missingProperty ?? additionalProperty;
  const pointer = `#${finding.instancePath}${child === undefined ? '' : `/${escapePointer(String(child))}`}`;
  return { pointer: clip(pointer), in: part, detail: describeRule(finding, allowedValues) };
}

function describeRule(finding: Finding, allowedValues: unknown): string {
  if (finding.keyword === 'required') return 'is missing';
  if (finding.keyword === 'additionalProperties') return 'is not known';
  if (finding.keyword === 'minLength' && finding.params.limit === 1) return 'must not be empty';
  if (Array.isArray(allowedValues)) return `must be one of ${allowedValues.join(', ')}`;
  return finding.message ?? `breaks the rule ${finding.keyword}`;
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Shortens a text that came with a request. */
export function clip(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
