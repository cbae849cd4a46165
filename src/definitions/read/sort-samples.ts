import type { TreeEntry } from '../../domain/definitions/source-tree.ts';
import { quote } from '../yaml/key-path.ts';
import type { ReportPath, SampleFile, SampleOwner } from './definition-file.ts';

/** Further samples of a folder are not read, because the daemon reads samples too. */
const MAX_SAMPLES_PER_FOLDER = 200;

// Notes next to samples are not reported.
const NOTE = /^(?:\..*|readme(?:\..*)?|.*\.md)$/i;

/**
 * Collects samples. Reports the entries of their folders that are not samples.
 *
 * @param samples receives at most `MAX_SAMPLES_PER_FOLDER` of each folder
 */
export class SampleSorter {
  readonly #samples: SampleFile[];
  readonly #report: ReportPath;
  /** Folder → number of samples in it. */
  readonly #counts = new Map<string, number>();

  constructor(samples: SampleFile[], report: ReportPath) {
    this.#samples = samples;
    this.#report = report;
  }

  /** @param below the path below the folder of the samples */
  sort(entry: TreeEntry, owner: SampleOwner, below: readonly string[]): void {
    const fileName = below.at(-1)!;
    const folder = entry.path.slice(0, -below.join('/').length);
    if (!fileName.endsWith('.json') || entry.kind !== 'file') this.#reportIgnored(entry, fileName);
    else if (below.length > 1) {
      const message = `Samples must be directly in ${folder}. This file is deeper and is ignored.`;
      this.#report(entry, 'sample/nested-file', message, `Move it to ${folder}${fileName}.`);
    } else {
      const count = (this.#counts.get(folder) ?? 0) + 1;
      this.#counts.set(folder, count);
      const name = fileName.slice(0, -'.json'.length);
      if (count <= MAX_SAMPLES_PER_FOLDER) this.#samples.push({ kind: 'sample', owner, name, entry });
      else if (count === MAX_SAMPLES_PER_FOLDER + 1) this.#reportTooMany(entry, owner);
    }
  }

  #reportIgnored(entry: TreeEntry, fileName: string): void {
    if (NOTE.test(fileName)) return;
    const message = `${quote(fileName)} is not a sample and is ignored: samples are files that end in .json.`;
    const hint = 'Rename the file to end in .json, or move it out of the folder.';
    this.#report(entry, 'sample/ignored-file', message, hint);
  }

  #reportTooMany(entry: TreeEntry, { kind, name }: SampleOwner): void {
    const message = `The ${kind} ${quote(name)} has more than ${MAX_SAMPLES_PER_FOLDER} samples. This sample and the following ones are not read.`;
    this.#report(entry, 'sample/too-many', message, 'Keep one sample per decision that must not change.');
  }
}
