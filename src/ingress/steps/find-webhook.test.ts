import { describe, expect, it } from 'vitest';
import { readRequestTarget } from '../transport/request-target.ts';
import { parseWebhookPath } from './find-webhook.ts';

describe('a request target names a webhook', () => {
  it.each([
    ['/webhooks/w/wh_x', 'wh_x', null],
    ['/webhooks/w/wh_x/t.o-k_e~n', 'wh_x', 't.o-k_e~n'],
    ['/webhooks/w/wh_x?a=/b/c', 'wh_x', null],
    ['/webhooks/w/wh_x/token?', 'wh_x', 'token'],
    ['http://hooks.example.com/webhooks/w/wh_x/token?q', 'wh_x', 'token'],
    ['HTTPS://user@[::1]:80/webhooks/w/wh_x', 'wh_x', null],
    ['/webhooks/w/wh%5Fx', 'wh%5Fx', null],
    ['/webhooks/w/WH_X', 'WH_X', null],
    ['/webhooks/w/__proto__', '__proto__', null],
  ])('%s', (target, uid, token) => {
    expect(parseWebhookPath(readRequestTarget(target).path)).toEqual({ uid, token });
  });

  it.each([
    ['/'],
    ['*'],
    [''],
    ['/webhooks/w/'],
    ['/webhooks/w'],
    ['/webhooks/w//'],
    ['/webhooks/w//token'],
    ['/webhooks/w/wh_x/'],
    ['/webhooks/w/wh_x//'],
    ['/webhooks/w/wh_x/token/'],
    ['/webhooks/w/wh_x/token/more'],
    ['//webhooks/w/wh_x'],
    ['/Webhooks/w/wh_x'],
    ['/webhooks/%77/wh_x'],
    ['/webhooks/./w/wh_x'],
    ['webhooks/w/wh_x'],
    ['hooks.example.com:443'],
    ['http://hooks.example.com'],
    ['http://hooks.example.com?/webhooks/w/wh_x'],
    ['?/webhooks/w/wh_x'],
  ])('%s does not', (target) => {
    expect(parseWebhookPath(readRequestTarget(target).path)).toBeNull();
  });
});
