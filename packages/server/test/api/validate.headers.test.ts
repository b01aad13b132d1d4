import { describe, expect, it } from 'vitest';
import { settingIssues } from '../support/setting-issues.ts';

describe('the headers of nodes', () => {
  it('are checked if they are constant', async () => {
    const headers = {
      'X-Order': '{{ trigger.payload.id }}',
      'Set-Cookie': 'a=b',
      'Cache-Control': '{{ trigger.text }}',
    };
    const answer = { node_id: 'say', component_type: 'respond', config: { extra_config: { headers } } };
    const ask = {
      node_id: 'ask',
      component_type: 'http_request',
      config: { extra_config: { url: 'https://shop.example', headers: { Host: 'x' } } },
    };
    const typed = { headers: { 'content-type': 'text/javascript' } };
    const page = { node_id: 'page', component_type: 'respond', config: { extra_config: typed } };
    const place = 'extra_config.headers';
    expect(await settingIssues([answer, ask, page])).toEqual([
      {
        code: 'bad_setting',
        severity: 'error',
        node_id: 'say',
        field: `${place}.Set-Cookie`,
        message: expect.stringContaining(
          `${place}.Set-Cookie: 'headers' must not set 'set-cookie': responses may have`,
        ),
      },
      {
        code: 'bad_setting',
        severity: 'error',
        node_id: 'say',
        field: `${place}.Cache-Control`,
        message: expect.stringContaining("must not set 'cache-control'"),
      },
      expect.objectContaining({ node_id: 'ask', severity: 'error', field: `${place}.Host` }),
      expect.objectContaining({ node_id: 'page', severity: 'error', field: `${place}.content-type` }),
    ]);
  });
});
