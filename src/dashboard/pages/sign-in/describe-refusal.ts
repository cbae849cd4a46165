/** What happened at the OpenID provider, and what to do. */
interface Refusal {
  title: string;
  advice: string;
}

/** One for each reason that the daemon sends browsers back with. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  denied: {
    title: 'The sign-in was cancelled',
    advice: 'The identity provider says that it was not allowed. Try again, or ask who manages the provider.',
  },
  provider_unavailable: {
    title: 'The identity provider does not answer',
    advice: 'Try again in a moment. Other ways to sign in work meanwhile. The log of the daemon says what was tried.',
  },
  invalid_answer: {
    title: 'The identity provider’s answer does not hold',
    advice: 'Try again. If that does not help, an operator finds the reason in the log of the daemon.',
  },
  too_many: {
    title: 'Too many tries',
    advice: 'Too many sign-ins failed, or too many people sign in at this moment. Wait a minute and try again.',
  },
  expired: {
    title: 'The sign-in has expired',
    advice: 'It was begun in another browser, more than 10 minutes ago, or is finished already. Begin it again.',
  },
  wrong_domain: {
    title: 'Your e-mail address is not allowed here',
    advice:
      'It is of another domain than admin.oidc.allowedDomains names, or the provider has not verified it. Ask an owner of this Dockbell.',
  },
  no_role: {
    title: 'None of your groups may use this Dockbell',
    advice:
      'You are signed in at the identity provider, but no group of yours has a role here. Ask to be put into one, or ask who runs this Dockbell to name your group under admin.oidc.groups.',
  },
  disabled: {
    title: 'Your account is disabled here',
    advice: 'Ask an owner of this Dockbell to enable it again.',
  },
};

/** @param search the query of the sign-in page; `null` where it tells of no refusal, or of one that is none of ours */
export function describeRefusal(search: string): Refusal | null {
  const reason = new URLSearchParams(search).get('error') ?? '';
  return Object.hasOwn(REFUSALS, reason) ? REFUSALS[reason]! : null;
}
