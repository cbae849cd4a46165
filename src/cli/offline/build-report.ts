import { dirname, relative, sep } from 'node:path';
import { collectSources } from '../../definitions/report/collect-sources.ts';
import type { FactoryReport, ValidationReport } from '../../definitions/report/validation-report.ts';
import { describeServices } from '../../definitions/triggers/describe-service.ts';
import type { FactoryDefinition } from '../../domain/definitions/definition.ts';
import { readDocumentsUrl, readPackageVersion } from '../../platform/files/package-version.ts';
import type { OfflineValidation } from './validate-offline.ts';

/**
 * Joins the validations of several folders into one report. Paths start at the root of the repository, or at the nearest
 * common folder if the roots differ.
 */
export function buildReport(
  validations: readonly OfflineValidation[],
  { isStrict, color }: { isStrict: boolean; color: boolean },
): ValidationReport {
  const root = validations.map((one) => one.root).reduce(findCommonFolder);
  const isOneOfMany = validations.length > 1;
  const factories = validations.map((one) =>
    toFactoryReport(one, { prefix: prefixOf(root, one.root), isStrict, isOneOfMany }),
  );
  return {
    valid: factories.every(({ valid }) => valid),
    factories,
    root,
    sources: new Map(
      validations.flatMap((one) => [...collectSources(one.tree, one.validated.diagnostics, prefixOf(root, one.root))]),
    ),
    color,
    isStrict,
    tool: { version: readPackageVersion(), documentsUrl: readDocumentsUrl() },
  };
}

function findCommonFolder(a: string, b: string): string {
  let folder = a;
  while (folder !== b && !b.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)) folder = dirname(folder);
  return folder;
}

/** The path from a folder to a folder inside it: `''` or `sub/dir/`. */
function prefixOf(root: string, folder: string): string {
  const path = relative(root, folder);
  return path === '' ? '' : `${path.split(sep).join('/')}/`;
}

/** A disabled automation cannot start. */
function describeTriggers(definition: FactoryDefinition | null): Pick<FactoryReport, 'triggers' | 'startable'> {
  if (definition === null) return { triggers: [], startable: [] };
  const triggers = definition.automations.flatMap((automation) => describeServices(automation, definition));
  const served = new Set(triggers.filter(({ reason }) => reason === null).map(({ automation }) => automation));
  const startable = definition.automations.filter(({ name, enabled }) => enabled && served.has(name));
  return { triggers, startable: startable.map(({ name }) => name) };
}

function toFactoryReport(
  { validated, tree }: OfflineValidation,
  { prefix, isStrict, isOneOfMany }: { prefix: string; isStrict: boolean; isOneOfMany: boolean },
): FactoryReport {
  const folder = `${prefix}${tree.prefix}`;
  const diagnostics = validated.diagnostics.map((diagnostic) =>
    diagnostic.file !== ''
      ? { ...diagnostic, file: `${prefix}${diagnostic.file}` }
      : { ...diagnostic, message: isOneOfMany ? `In ${folder}: ${diagnostic.message}` : diagnostic.message },
  );
  return {
    folder,
    valid: isStrict ? diagnostics.length === 0 : validated.definition !== null,
    diagnostics,
    ...validated.declared,
    ...describeTriggers(validated.definition),
    files: validated.files.map((file) => `${prefix}${file}`),
  };
}
