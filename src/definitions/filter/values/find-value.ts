import type { Source } from '../../triggers/trigger-event.ts';
import { compileSource, type Value, visitSource } from './read-source.ts';

/** Returns what is taken of the first value that is acceptable; `null` if none is. `take` returns `null` for others. */
type FindValue = <Taken>(payload: unknown, take: (value: Value) => Taken | null) => Taken | null;

/** Compiles places of a payload of which the first one with an acceptable value counts. */
export function compileFind(sources: readonly Source[]): FindValue {
  const compiled = sources.map(compileSource);
  return (payload, take) => {
    let taken: ReturnType<typeof take> = null;
    compiled.every((source) =>
      visitSource(source, payload, (value) => {
        taken = take(value);
        return taken === null;
      }),
    );
    return taken;
  };
}
