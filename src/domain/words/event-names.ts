/** Whether the name of an event is `wanted`, or begins with it and a dot: `pull_request` stands for all its actions. */
export function isEventOf(name: string | null, wanted: string): boolean {
  return name === wanted || (name?.startsWith(`${wanted}.`) ?? false);
}

/** Where a definition says that the name of the event is. */
export function describeEventPlace({ header, path }: { header?: string; path?: string }): string {
  const parts = [
    ...(header === undefined ? [] : [`header ${header}`]),
    ...(path === undefined ? [] : [`payload ${path}`]),
  ];
  return parts.join(', then ');
}
