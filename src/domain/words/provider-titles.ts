/** The providers whose triggers webhooks can serve, by their names in definitions. */
export const PROVIDER_TITLES = {
  github: 'GitHub',
  gitlab: 'GitLab',
  linear: 'Linear',
  jira: 'Jira',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  azure_devops: 'Azure DevOps',
} as const;
