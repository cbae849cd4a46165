/** Why a sign-in with the OpenID provider failed, and what to do. */
interface ProviderError {
  title: string;
  advice: string;
}

/** By the error code in the URL that the daemon redirects to. */
const ERRORS: Readonly<Record<string, ProviderError>> = {
  denied: {
    title: 'Sign-in was cancelled',
    advice: 'The identity provider denied the request. Try again, or contact the administrator of the provider.',
  },
  provider_unavailable: {
    title: 'The identity provider is not available',
    advice: 'Try again in a moment, or sign in another way. The daemon log has details.',
  },
  invalid_answer: {
    title: 'The response of the identity provider is invalid',
    advice: 'Try again. If it fails again, check the daemon log for the reason.',
  },
  too_many: {
    title: 'Too many attempts',
    advice: 'Too many sign-ins failed or are in progress. Wait a minute and try again.',
  },
  expired: {
    title: 'The sign-in has expired',
    advice: 'It was started in another browser or more than 10 minutes ago, or it is already complete. Start again.',
  },
  wrong_domain: {
    title: 'Your email address is not allowed',
    advice:
      'Its domain is not in admin.oidc.allowedDomains, or the provider has not verified the address. Contact an owner of this Dockbell.',
  },
  no_role: {
    title: 'Your groups have no access to this Dockbell',
    advice:
      'You signed in to the identity provider, but none of your groups has a role here. Ask to join a group that has one, or ask the operator to add your group to admin.oidc.groups.',
  },
  disabled: {
    title: 'Your account is disabled',
    advice: 'Ask an owner of this Dockbell to enable it.',
  },
};

/** @param search query string of the sign-in page; the result is `null` without a known error code */
export function describeProviderError(search: string): ProviderError | null {
  const reason = new URLSearchParams(search).get('error') ?? '';
  return Object.hasOwn(ERRORS, reason) ? ERRORS[reason]! : null;
}
