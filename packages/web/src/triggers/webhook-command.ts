import { exactJsonText } from '@millrace/core/exact-json';
import type { GraphNode } from '../state/graph.ts';

/** How a webhook is called. */
export interface WebhookCall {
  readonly url: string;
  readonly method: string;
  readonly auth: 'key' | 'none' | 'basic';
  /** Whether requests may be signed instead. */
  readonly isSigned: boolean;
}

/** The call of a webhook trigger. */
export function webhookCall(origin: string, slug: string, { config }: Pick<GraphNode, 'config'>): WebhookCall {
  const extra = config.extra_config as { auth?: unknown; methods?: unknown; signature?: unknown };
  const [method] = Array.isArray(extra.methods) ? extra.methods : [];
  return {
    url: `${origin}/api/v1/webhooks/${slug}`,
    method: typeof method === 'string' ? method : 'POST',
    auth: extra.auth === 'none' || extra.auth === 'basic' ? extra.auth : 'key',
    isSigned: extra.signature !== undefined && extra.signature !== null,
  };
}

/**
 * A command for a shell that calls the webhook. The key is a variable of the shell, so that it is on no screenshot and
 * in no history.
 */
export function curlCommand({ url, method, auth }: WebhookCall, payload: unknown): string {
  const hasBody = method !== 'GET' && method !== 'DELETE';
  const parts = [
    method === 'POST' ? 'curl' : `curl -X ${method}`,
    quoted(url),
    ...(auth === 'key' ? [`-H "Authorization: Bearer $MILLRACE_KEY"`] : []),
    ...(auth === 'basic' ? ['-u "$WEBHOOK_USER:$WEBHOOK_PASSWORD"'] : []),
    ...(hasBody ? ["-H 'Content-Type: application/json'", `-d ${quoted(exactJsonText(payload))}`] : []),
  ];
  return parts.join(' \\\n  ');
}

/** JavaScript that calls the webhook. */
export function fetchCommand({ url, method, auth }: WebhookCall, payload: unknown): string {
  const hasBody = method !== 'GET' && method !== 'DELETE';
  const headers = [
    ...(auth === 'key' ? [`    authorization: \`Bearer \${process.env.MILLRACE_KEY}\`,`] : []),
    ...(auth === 'basic'
      ? [`    authorization: \`Basic \${btoa(\`\${process.env.WEBHOOK_USER}:\${process.env.WEBHOOK_PASSWORD}\`)}\`,`]
      : []),
    ...(hasBody ? ["    'content-type': 'application/json',"] : []),
  ];
  return [
    `const response = await fetch(${JSON.stringify(url)}, {`,
    `  method: '${method}',`,
    ...(headers.length > 0 ? ['  headers: {', ...headers, '  },'] : []),
    ...(hasBody ? [`  body: JSON.stringify(${JSON.stringify(payload)}),`] : []),
    '});',
    'console.log(response.status, await response.text());',
  ].join('\n');
}

/** A text in single quotes, in which a shell replaces nothing. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
