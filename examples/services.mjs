/**
 * The other services that the example workflows call, in one small server: `node examples/services.mjs [port]`.
 * It listens on 127.0.0.1, port 9099 by default, and prints its address.
 */
import { createServer } from 'node:http';

const port = Number(process.argv[2] ?? 9099);

const customers = { 7: { name: 'Ada', tier: 'gold' }, 8: { name: 'Ben', tier: 'silver' } };
const sales = { north: 10, south: 20, east: 12 };
/** The last body that each path received. */
const received = new Map();
let carrierIsUp = true;

/** What each path answers: `[status, body]`. */
const routes = [
  ['GET', /^\/customers\/(\d+)$/, ([id]) => (id in customers ? [200, customers[id]] : [404, {}])],
  ['GET', /^\/sales\/(\w+)$/, ([shop]) => (shop in sales ? [200, { shop, amount: sales[shop] }] : [404, {}])],
  ['POST', /^\/(messages|alerts|payments)$/, ([path], body) => [202, void received.set(path, body) ?? {}]],
  ['GET', /^\/(messages|alerts|payments)\/last$/, ([path]) => [200, received.get(path) ?? null]],
  ['POST', /^\/carrier\/(up|down)$/, ([state]) => [200, setCarrier(state === 'up')]],
  ['POST', /^\/shipments$/, () => (carrierIsUp ? [200, { id: 's1' }] : [503, {}])],
  ['GET', /^\/labels\/(\w+)$/, ([id]) => [200, { url: `https://carrier.example/${id}.pdf` }]],
  ['POST', /^\/v1\/chat\/completions$/, (_path, body) => [200, completion(body.messages)]],
];

function setCarrier(isUp) {
  carrierIsUp = isUp;
  return { up: isUp };
}

/** An answer in the OpenAI-compatible form that says how many messages of the user the model was given. */
function completion(messages) {
  const count = messages.filter(({ role }) => role === 'user').length;
  const content = `You have asked ${count} ${count === 1 ? 'question' : 'questions'}.`;
  return {
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
    usage: { prompt_tokens: 10 * count, completion_tokens: 5, total_tokens: 10 * count + 5 },
  };
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const text = Buffer.concat(chunks).toString();
    const path = request.url ?? '';
    const route = routes.find(([method, pattern]) => method === request.method && pattern.test(path));
    const [status, body] = route?.[2](route[1].exec(path).slice(1), text === '' ? null : JSON.parse(text)) ?? [404, {}];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
});
server.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
