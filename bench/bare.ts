import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The baseline of the benchmark: plain `node:http` with the same JSON. It parses the request, looks up a value in a
 * Map, and responds with a body of the same shape. It stores nothing.
 */
const details = new Map<string, unknown>();
const edges = new Map<number, unknown>();

function read(request: IncomingMessage, done: (body: unknown) => void): void {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    text += chunk;
  });
  request.on('end', () => done(text === '' ? null : JSON.parse(text)));
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

let count = 0;

const server = createServer((request, response) => {
  const path = request.url ?? '';
  if (path.startsWith('/accept/')) {
    read(request, () => {
      count += 1;
      const id = `019a9f3c-0000-7000-8000-${String(count).padStart(12, '0')}`;
      answer(response, 200, { status: 'accepted', execution_id: id, message: 'Workflow execution started' });
    });
  } else if (path.startsWith('/answer/')) {
    read(request, (body) => answer(response, 200, { doubled: (body as { n: number }).n * 2 }));
  } else if (path.startsWith('/edges/')) {
    read(request, (body) => {
      const given = body as { source_node_id: string; target_node_id: string };
      const edge = {
        id: edges.size + 1,
        source_node_id: given.source_node_id,
        target_node_id: given.target_node_id,
        edge_type: 'direct',
        edge_label: '',
        condition_mapping: null,
        condition_value: '',
        priority: 0,
      };
      edges.set(edge.id, edge);
      answer(response, 201, edge);
    });
  } else if (request.method === 'PUT') {
    read(request, (body) => {
      details.set(path, body);
      answer(response, 200, {});
    });
  } else {
    answer(response, 200, details.get(path));
  }
});

server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
