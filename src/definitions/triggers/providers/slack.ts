import type { Json, JsonObject } from '../../../domain/json.ts';
import { PROVIDER_TITLES } from '../../../domain/words/names.ts';
import type { DeliveryRow, FilterKey, RequiredValue, ServedKey, TriggerProvider } from '../trigger-event.ts';

const channel = (path: string): { [key: string]: ServedKey } => {
  const channel_ids: ServedKey = { compare: 'exact', from: [{ path }], subject: 'the channel' };
  return { channel_ids, channels: { ...channel_ids, nameFormOf: 'channel_ids', namesFrom: 'channels' } };
};

const user = (path: string, prefix = ''): { [key: string]: ServedKey } => {
  const ids: ServedKey = { compare: 'exact', from: [{ path }], subject: 'the user' };
  return {
    [`${prefix}user_ids`]: ids,
    [`${prefix}users`]: { ...ids, nameFormOf: `${prefix}user_ids`, namesFrom: 'users' },
  };
};

const messageKeys: { readonly [key: string]: FilterKey } = {
  ...channel('event.channel'),
  ...user('event.user'),
  keywords: { compare: 'text', from: [{ path: 'event.text' }], subject: 'the text' },
};

/** Edits, deletions and joins are no new messages. */
const NEW_MESSAGE_SUBTYPES = ['file_share', 'me_message', 'bot_message'];

/** A reply in a thread that is also sent to the channel. */
const BROADCAST = 'thread_broadcast';

const message = (channelTypes: string[], subtype: Json): DeliveryRow => ({
  event: 'message',
  when: { event: { channel_type: channelTypes, subtype } },
});

/** A new message in channels of these types. One delivery has a subtype, the other has none. */
const messages = (...channelTypes: string[]): DeliveryRow[] => [
  message(channelTypes, { exists: false }),
  message(channelTypes, [...NEW_MESSAGE_SUBTYPES, BROADCAST]),
];

/** The message that begins a thread. A reply has the time of that message in `thread_ts`. */
const OUTSIDE_THREAD: RequiredValue = {
  subject: 'a message outside of a thread',
  from: [{ path: 'event.thread_ts', ifEqual: ['event.thread_ts', 'event.ts'] }],
};

/** As `messages`, but no reply in a thread: it continues work instead of starting it. */
const messagesOutsideThreads = (...channelTypes: string[]): DeliveryRow[] =>
  [message(channelTypes, { exists: false }), message(channelTypes, NEW_MESSAGE_SUBTYPES)].flatMap((row) => [
    { ...row, when: { event: { ...(row.when!.event as JsonObject), thread_ts: { exists: false } } } },
    { ...row, requires: [OUTSIDE_THREAD] },
  ]);

/** The trigger events of Slack. */
export const SLACK: TriggerProvider = {
  title: PROVIDER_TITLES.slack,
  schemes: ['slack'],
  eventName: { path: 'event.type' },
  context: {
    repository: [],
    // The thread, for a reply and for the message that begins it.
    number: [
      { path: 'event.thread_ts', prefix: 'event.channel' },
      { path: 'event.ts', prefix: 'event.channel' },
      { path: 'event.item.ts', prefix: 'event.item.channel' },
      { path: 'event.channel' },
    ],
    url: [],
    actor: [{ path: 'event.user' }],
    commit: [],
  },
  actors: {
    accounts: [{ path: 'event.user' }, { path: 'event.bot_id' }, { path: 'event.app_id' }],
    ownApp: [
      { path: 'event.app_id', ifEqual: ['event.app_id', 'api_app_id'] },
      { path: 'event.bot_profile.app_id', ifEqual: ['event.bot_profile.app_id', 'api_app_id'] },
    ],
  },
  events: {
    app_mention: { deliveries: [{ event: 'app_mention' }], keys: messageKeys },
    message_posted: {
      deliveries: [...messagesOutsideThreads('channel', 'group'), message(['channel', 'group'], [BROADCAST])],
      keys: messageKeys,
    },
    message_im: { deliveries: messages('im'), keys: messageKeys },
    message_mpim: { deliveries: messages('mpim'), keys: messageKeys },
    message_dm: { deliveries: messages('im', 'mpim'), keys: messageKeys },
    reaction_added: {
      deliveries: [{ event: 'reaction_added', when: { event: { item: { type: ['message'] } } } }],
      keys: {
        ...channel('event.item.channel'),
        ...user('event.user'),
        ...user('event.item_user', 'item_'),
        emojis: { compare: 'emoji', from: [{ path: 'event.reaction' }], subject: 'the emoji' },
        keywords: { unserved: 'the payload names the message, but has no text of it' },
      },
    },
    member_joined_channel: {
      deliveries: [{ event: 'member_joined_channel' }],
      keys: { ...channel('event.channel'), ...user('event.user') },
    },
  },
};
