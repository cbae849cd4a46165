import { isJsonObject } from '../../core/json.ts';
import { readExactQuery } from './challenges.ts';

const TOPIC_REGION = /^arn:aws(?:-[a-z]+)*:sns:([a-z0-9-]{1,40}):\d{12}:[A-Za-z0-9_.-]{1,256}$/;
const TOKEN = /^[A-Za-z0-9]{1,1024}$/;

/**
 * The URL that confirms a subscription, where it is certainly one of SNS: its host in the topic's own region, its query
 * this topic and this token, and nothing else. We would otherwise fetch what somebody names. `null` for anything else.
 */
export function readSubscribeUrl(message: unknown): string | null {
  if (!isJsonObject(message) || message.Type !== 'SubscriptionConfirmation') return null;
  const { TopicArn: topic, Token: token, SubscribeURL: text } = message;
  if (typeof topic !== 'string' || typeof token !== 'string' || typeof text !== 'string') return null;
  const region = TOPIC_REGION.exec(topic)?.[1];
  if (region === undefined || !TOKEN.test(token)) return null;
  const rest = stripBase(text, region);
  const query = rest === null ? null : readExactQuery(rest, ['Action', 'TopicArn', 'Token']);
  const isOurs = query?.Action === 'ConfirmSubscription' && query.TopicArn === topic && query.Token === token;
  return isOurs ? text : null;
}

/** What follows the `?`; compared as text, so that no parser can read another host out of it. */
function stripBase(url: string, region: string): string | null {
  const bases = [`https://sns.${region}.amazonaws.com/?`, `https://sns.${region}.amazonaws.com.cn/?`];
  const base = bases.find((candidate) => url.startsWith(candidate));
  const rest = base === undefined ? null : url.slice(base.length);
  return rest !== null && /^[A-Za-z0-9=&%:._~-]*$/.test(rest) ? rest : null;
}
