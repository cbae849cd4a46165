import { PROVIDER_TITLES } from '../../../domain/words/names.ts';
import type { FilterKey, TriggerProvider } from '../trigger-event.ts';

const keys: { readonly [key: string]: FilterKey } = {
  team_ids: {
    compare: 'exact',
    from: [{ path: 'channelData.team.aadGroupId', otherwise: 'channelData.team.id' }],
    subject: 'the team',
    required: 'one',
    namesFrom: 'teams',
  },
  channel_ids: {
    compare: 'exact',
    from: [{ path: 'channelData.channel.id', otherwise: 'channelData.teamsChannelId' }],
    subject: 'the channel',
    required: 'some',
  },
  user_ids: { compare: 'exact', from: [{ path: 'from.aadObjectId' }, { path: 'from.id' }], subject: 'the user' },
  keywords: { compare: 'text', from: [{ path: 'text', read: 'without_tags' }], subject: 'the text' },
};

/** The trigger events of Microsoft Teams. */
export const TEAMS: TriggerProvider = {
  title: PROVIDER_TITLES.teams,
  schemes: ['teams'],
  eventName: { path: 'type' },
  context: {
    repository: [],
    number: [{ path: 'conversation.id' }],
    url: [],
    actor: [{ path: 'from.name' }],
    commit: [],
  },
  actors: { accounts: [{ path: 'from.aadObjectId' }, { path: 'from.id' }, { path: 'from.name' }] },
  events: {
    app_mention: { deliveries: [{ event: 'message' }], keys },
    message_posted: {
      unserved: 'an outgoing webhook of Teams receives only messages that mention it. Use app_mention instead',
      deliveries: [],
      keys,
    },
  },
};
