/** The names of the events that providers send about pull and merge requests: GitHub with its action, GitLab without. */
const REQUEST_EVENT = /^(?:pull_request(?:\.|$)|Merge Request Hook$)/;

/** Is a delivery with this event about a pull request? Only its name is believed. */
export function isRequestEvent(event: string | null): boolean {
  return event !== null && REQUEST_EVENT.test(event);
}
