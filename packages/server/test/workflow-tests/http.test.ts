import { describe, expect, it } from 'vitest';
import { report, tested } from './tested-files.ts';

const orders = `
name: Orders
trigger: webhook
steps:
  - id: size
    type: switch
    rules:
      - {field: trigger.payload.total, operator: gt, value: 1000, route: by_hand}
    default: book
  - id: book
    type: http
    method: POST
    url: http://orders.example/orders
    idempotent: true
    headers: {X-Team: sales}
    body: {order: "{{ trigger.payload }}"}
  - id: by_hand
    type: template
    template: By hand
`;

const booked = `
    http:
      - request: {method: POST, url: http://orders.example/orders, body: {order: {total: 5}}}
        response: {body: {id: 7}}`;

describe('a test of a workflow', () => {
  it('answers requests with credentials like all others', async () => {
    const answer = await tested({
      'flow.yaml': orders.replace('type: http\n', 'type: http\n    credential: shop\n'),
      'orders.test.yaml': `
workflow: flow.yaml
tests:
  - name: a small order is booked
    payload: {total: 5}${booked}
    expect: {status: completed, final_output: {id: 7}}
`,
    });
    expect(answer).toMatchObject({ code: 0 });
  });

  it('answers paginated requests', async () => {
    const answer = await tested({
      'flow.yaml': `
name: List
trigger: manual
steps:
  - id: list
    type: http
    url: http://orders.example/orders
    credential: shop
    pagination: {by: page, parameter: page, page_size: 2, items: data}
`,
      'list.test.yaml': `
workflow: flow.yaml
tests:
  - name: all orders are read
    http:
      - request: {method: GET, url: "http://orders.example/orders?page=1"}
        response: {body: {data: [1, 2]}}
      - request: {method: GET, url: "http://orders.example/orders?page=2"}
        response: {body: {data: [3]}}
    expect: {status: completed, final_output: [1, 2, 3]}
`,
    });
    expect(answer).toMatchObject({ code: 0 });
  });

  it('passes if the run matches its expectations', async () => {
    const answer = await tested({
      'flows/orders.yaml': orders,
      'orders.test.yaml': `
workflow: flows/orders.yaml
tests:
  - name: a small order is booked
    payload: {total: 5}${booked}
    expect:
      status: completed
      path: [start, size, book]
      skipped: [by_hand]
      outputs: {book: {status: 200, result: {id: 7}}, size: {route: __other__}}
      final_output: {id: 7}
  - name: a large one is not
    payload: {total: 5000}
    expect: {path: {contains: [by_hand]}, final_output: By hand}
`,
    });
    expect(answer).toEqual({
      code: 0,
      out: ['orders.test.yaml', '  ok    a small order is booked', '  ok    a large one is not', '2 passed, 0 failed'],
      notes: [],
    });
  });

  it('fails if the run differs, and shows the actual values', async () => {
    const { code, out } = await tested({
      'orders.yaml': orders,
      'orders.test.yaml': `
workflow: orders.yaml
tests:
  - name: small
    payload: {total: 5}${booked}
    expect:
      path: [start, size, by_hand]
      skipped: [book]
      outputs: {book: {result: {id: 8, at: noon}}, boook: {status: 200}}
      final_output: By hand
      error: {node: book, code: http_status}
`,
    });
    expect(code).toBe(1);
    expect(out).toEqual([
      'orders.test.yaml',
      '  FAIL  small (line 4)',
      '          status',
      '            expected failed',
      '            actual   completed',
      '          path',
      '            expected ["start","size","by_hand"]',
      '            actual   ["start","size","book"]',
      '          skipped',
      '            expected ["book"]',
      '            actual   ["by_hand"]',
      '          outputs.book.result.id',
      '            expected 8',
      '            actual   7',
      '          outputs.book.result.at',
      '            expected "noon"',
      '            actual   nothing',
      '          outputs.boook',
      '            expected an output',
      "            actual   nothing. Did you mean 'book'?",
      '          final_output',
      '            expected "By hand"',
      '            actual   {"id":7}',
      '          error.node',
      '            expected "book"',
      '            actual   null',
      '          error.code',
      '            expected "http_status"',
      '            actual   nothing',
      '0 passed, 1 failed',
    ]);
  });
});

describe('a recorded response', () => {
  const test = (http: string, expected = '{}', payload = '{total: 5}') =>
    report(orders, `tests: [{name: t, payload: ${payload}, http: ${http}, expect: ${expected}}]`);
  const url = 'url: "http://orders.example/orders"';

  it('is used for requests with the same method and URL, and with the recorded headers and body', async () => {
    const passing = [
      `[{request: {method: POST, ${url}}, response: {}}]`,
      `[{request: {method: POST, url: {contains: example}, headers: {x-team: sales}}, response: {}}]`,
      `[{request: {method: POST, ${url}, body: {contains: {order: {total: 5}}}}, response: {}}]`,
      `[{request: {method: POST, ${url}, body: '{"order":{"total":5}}'}, response: {}}]`,
      `[{request: {method: POST, ${url}, body: {contains: '"total":5'}}, response: {}}]`,
    ];
    for (const http of passing) expect(await test(http)).toEqual(['  ok    t']);
  });

  it('that matches no request leaves it unanswered: the step fails, and the report shows the differences', async () => {
    const rejected = (hint: string) => [
      '  FAIL  t (line 2)',
      '          status',
      '            expected completed',
      `            actual   failed (http_blocked): Node 'book' failed: No recording answers POST http://orders.example/orders with the body {"order":{"total":5}}.${hint}`,
      `          No recording answers POST http://orders.example/orders with the body {"order":{"total":5}}.${hint}`,
    ];
    expect(await test('[]')).toEqual(rejected(''));
    const recorded = 'http[0] (POST http://orders.example/orders)';
    expect(await test(`[{request: {method: POST, ${url}, headers: {x-team: law}}, response: {}}]`)).toEqual([
      ...rejected(` ${recorded} has a different headers.x-team: "law", not "sales".`),
      `          ${recorded} was never requested.`,
    ]);
    expect(await test(`[{request: {method: POST, ${url}, body: {order: {total: 6}}}, response: {}}]`)).toEqual([
      ...rejected(` ${recorded} has a different body.order.total: 6, not 5.`),
      `          ${recorded} was never requested.`,
    ]);
  });

  it('that no step requests fails the test', async () => {
    expect(await test(`[{request: {method: POST, ${url}}, response: {}}]`, '{}', '{total: 5000}')).toEqual([
      '  FAIL  t (line 2)',
      '          http[0] (POST http://orders.example/orders) was never requested.',
    ]);
  });

  it('is used a set number of times, so that retries are tested, without waiting for their delays', async () => {
    const busy = `{request: {method: POST, ${url}}, response: {status: 503, body: busy}, times: 2}`;
    const down = `{request: {method: POST, ${url}}, fails: The connection was refused., times: 2}`;
    const fine = `{request: {method: POST, ${url}}, response: {body: {id: 1}}}`;
    for (const first of [busy, down])
      expect(await test(`[${first}, ${fine}]`, '{final_output: {id: 1}}')).toEqual(['  ok    t']);
    expect(await test(`[${down.replace('2', '3')}]`, '{error: {node: book, code: http_connection}}')).toEqual([
      '  ok    t',
    ]);
    expect(await test(`[${busy.replace('2', '4')}]`, '{error: {message: {contains: busy}}}')).toEqual([
      '  FAIL  t (line 2)',
      '          http[0] (POST http://orders.example/orders) was requested 3 of 4 times.',
    ]);
  });

  it('has the content type of its body unless it sets another', async () => {
    const json = `[{request: {method: POST, ${url}}, response: {body: [1]}}]`;
    const text = `[{request: {method: POST, ${url}}, response: {status: 201, body: "[1]"}}]`;
    const named = `[{request: {method: POST, ${url}}, response: {headers: {Content-Type: application/json}, body: "[1]"}}]`;
    expect(await test(json, '{outputs: {book: {result: [1]}}}')).toEqual(['  ok    t']);
    expect(await test(text, '{outputs: {book: {result: "[1]", status: 201}}}')).toEqual(['  ok    t']);
    expect(await test(named, '{outputs: {book: {result: [1]}}}')).toEqual(['  ok    t']);
  });
});

describe('the response to the caller', () => {
  const echo = `
name: Echo
input_schema: {type: object, required: [word]}
nodes:
  - {id: hook, type: trigger_webhook, response_mode: respond_node}
  - {id: reply, type: respond, status: 201, headers: {X-Word: "{{ trigger.payload.word }}"}, body: "{{ trigger.payload }}"}
edges: [hook -> reply]
`;
  it('is the response of the webhook', async () => {
    const tests = `
tests:
  - name: fits
    payload: {word: hi}
    expect: {response: {status: 201, headers: {x-word: hi}, body: {word: hi}}}
  - name: is another
    payload: {word: hi}
    expect: {response: {status: 200, body: {word: ho}}}
  - name: is rejected
    payload: {}
    expect: {response: {status: 422}}
  - name: expects a run
    payload: {}
    expect: {path: []}
`;
    expect(await report(echo, tests)).toEqual([
      '  ok    fits',
      '  FAIL  is another (line 7)',
      '          response.status',
      '            expected 200',
      '            actual   201',
      '          response.body.word',
      '            expected "ho"',
      '            actual   "hi"',
      '  ok    is rejected',
      '  FAIL  expects a run (line 13)',
      '          the run',
      '            expected to start',
      expect.stringMatching(/^ {12}actual {3}nothing: the service rejected the start \(422\) .*word/),
    ]);
  });
});
