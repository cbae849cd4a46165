// The SDKs that end-to-end tests send with. They resolve from this folder's own node_modules.
export { sign as signAsGitHub } from '@octokit/webhooks-methods';
export { CloudEvent, HTTP } from 'cloudevents';
export { Webhook as StandardWebhook } from 'standardwebhooks';
export { default as Stripe } from 'stripe';
