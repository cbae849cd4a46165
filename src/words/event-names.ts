/** Whether the name of an event is `wanted`, or begins with it and a dot: `pull_request` stands for all its actions. */
export function isEventOf(name: string | null, wanted: string): boolean {
  return name === wanted || (name?.startsWith(`${wanted}.`) ?? false);
}
