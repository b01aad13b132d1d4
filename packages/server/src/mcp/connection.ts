import { type JsonObject, type McpAnswer, type McpTool, Meter, StepError } from '@millrace/core';
import { Client, SdkError, SdkErrorCode, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Clock, Timers } from '../ground/clock.ts';
import type { OwnerPlaces } from '../ground/owner-places.ts';
import { version } from '../ground/version.ts';
import { stepErrorOf } from './failures.ts';
import { outboundFetch } from './outbound-fetch.ts';
import { ProgramTransport } from './program-transport.ts';
import type { McpPrograms } from './programs.ts';
import type { McpTarget } from './target.ts';

/** The first rule of a schema that a value violates; null if it is valid. @throws StepError `config` */
export type SchemaIssue = (schema: JsonObject, value: JsonObject[string], meter: Meter) => string | null;

/** Parts of a list of tools: each may have some hundred. */
const maxPages = 16;

/** Milliseconds for the handshake. */
const openMs = 30_000;
/** The time limit of the step ends a call; this is the longest that a timer takes. */
const callMs = 2 ** 31 - 1;
/** Milliseconds before a stream that ended without an answer is continued. */
const leastRetryMs = 1_000;
/** Milliseconds for the request that ends a session. */
const closeMs = 5_000;

/** Steps of the check of a result against the schema that the server gives for it. It has no pauses: 0.1 s. */
const checkSteps = 500_000;

const dialect = 'https://json-schema.org/draft/2020-12/schema';

/** What a connection uses besides its server. */
export interface ConnectionParts {
  readonly schemaIssue: SchemaIssue;
  readonly timers: Pick<Timers, 'after'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly programs: McpPrograms;
  /** The places of programs. */
  readonly places: Pick<OwnerPlaces, 'take'>;
}

/** One connection to a server. It opens with its first use. */
export class McpConnection {
  readonly #target: McpTarget;
  readonly #parts: ConnectionParts;
  readonly #closed = new AbortController();
  #opened: Promise<Opened> | null = null;

  constructor(target: McpTarget, parts: ConnectionParts) {
    this.#target = target;
    this.#parts = parts;
  }

  async tools(signal: AbortSignal): Promise<readonly McpTool[]> {
    const { tools } = await this.#using(({ client }) => client.listTools(undefined, { signal, timeout: callMs }));
    return tools.map(({ name, description = '', inputSchema }) => ({
      name,
      description,
      // Safe: it was JSON.
      parameters: ofDialect(inputSchema as JsonObject),
    }));
  }

  async call(name: string, args: JsonObject, signal: AbortSignal): Promise<McpAnswer> {
    const result = await this.#using(({ client }) =>
      client.callTool({ name, arguments: args }, { signal, timeout: callMs }),
    );
    const { content, structuredContent, isError = false } = result;
    return {
      // Safe: both were JSON.
      content: content as readonly JsonObject[],
      structured: (structuredContent as JsonObject | undefined) ?? null,
      isError,
    };
  }

  /** Ends the session of the server, if it has one. */
  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => null);
    if (opened === null || opened === undefined) return;
    const { client, transport } = opened;
    const cancel = this.#parts.timers.after(closeMs, () => void client.close());
    try {
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
    } finally {
      cancel();
      this.#closed.abort();
      await client.close();
    }
  }

  /** A failed connection is opened again by the next use. */
  #open(): Promise<Opened> {
    this.#opened ??= this.#connectOnce().catch((error: unknown) => {
      this.#opened = null;
      throw error;
    });
    return this.#opened;
  }

  /** A program has its place from before its start until its end. */
  async #connectOnce(): Promise<Opened> {
    const giveBack = this.#place();
    try {
      const opened = await this.#connect('auto');
      opened.client.onclose = giveBack;
      return opened;
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  async #connect(mode: 'auto' | 'legacy'): Promise<Opened> {
    const { server } = this.#target;
    const failures: unknown[] = [];
    const transport = 'url' in server ? this.#http(server.url, failures) : this.#program(server.name);
    // No capabilities: a server can ask for nothing.
    const client = new Client(
      { name: 'millrace', version },
      {
        versionNegotiation: { mode, probe: { timeoutMs: openMs } },
        inputRequired: { autoFulfill: false },
        listMaxPages: maxPages,
        jsonSchemaValidator: this.#validator(),
      },
    );
    try {
      await client.connect(transport, { timeout: openMs });
      return { client, transport };
    } catch (error) {
      await client.close();
      await transport.close();
      const cause = failureOf(transport) ?? failures.at(-1) ?? error;
      // An older program may end at a request that it does not know.
      if (mode === 'auto' && transport instanceof ProgramTransport && isNegotiation(cause))
        return this.#connect('legacy');
      throw stepErrorOf(cause, true);
    }
  }

  /** @param failures get the errors of requests, which the library wraps in its own during the handshake */
  #http(url: string, failures: unknown[]): StreamableHTTPClientTransport {
    const send = outboundFetch(this.#target, this.#closed.signal);
    return new StreamableHTTPClientTransport(new URL(url), {
      async fetch(...request) {
        try {
          return await send(...request);
        } catch (error) {
          failures.push(error);
          throw error;
        }
      },
      // A server may wish to be asked again at once, forever.
      reconnectionScheduler: (reconnect, delay) => this.#parts.timers.after(Math.max(delay, leastRetryMs), reconnect),
    });
  }

  #program(name: string): ProgramTransport {
    const program = this.#parts.programs.get(name);
    if (program === undefined) {
      const message = `'server' names '${name}', which is not in the file MILLRACE_MCP_SERVERS of the operator.`;
      throw new StepError('config', message);
    }
    return new ProgramTransport({ program, inSlices: this.#target.inSlices });
  }

  /** Takes the place of a program. Returns how to give it back; a server with an address needs none. */
  #place(): () => void {
    const { server, ownerId } = this.#target;
    if ('url' in server) return () => undefined;
    const giveBack = this.#parts.places.take(ownerId);
    if (giveBack !== null) return giveBack;
    const message = 'As many programs of MCP servers are running as the service, or the owner of a workflow, may have.';
    throw new StepError('mcp_unavailable', `${message} Try again later.`, { retryable: true, notPerformed: true });
  }

  async #using<Result>(act: (opened: Opened) => Promise<Result>): Promise<Result> {
    const opened = await this.#open();
    try {
      return await act(opened);
    } catch (error) {
      const failure = failureOf(opened.transport);
      const known = stepErrorOf(failure ?? error, false);
      // Also a session that the server has ended: the next call begins another one.
      if (failure !== undefined || (known as StepError).code === 'mcp_unavailable') this.#forget();
      throw known;
    }
  }

  #forget(): void {
    const opened = this.#opened;
    this.#opened = null;
    opened?.then(({ client }) => client.close()).catch(() => undefined);
  }

  /** Checks what tools return. The validator of the library compiles patterns that take forever. */
  #validator(): NonNullable<NonNullable<ConstructorParameters<typeof Client>[1]>['jsonSchemaValidator']> {
    return {
      getValidator: (schema) => (value) => {
        const { schemaIssue, clock } = this.#parts;
        const meter = new Meter(() => clock.monotonic(), checkSteps);
        const issue = schemaIssue(ofDialect(schema as JsonObject), value as JsonObject, meter);
        if (issue !== null) return { valid: false, data: undefined, errorMessage: issue };
        return { valid: true, data: value as never, errorMessage: undefined };
      },
    };
  }
}

interface Opened {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport | ProgramTransport;
}

function failureOf(transport: Opened['transport']): unknown {
  return transport instanceof ProgramTransport ? transport.failure : undefined;
}

function isNegotiation(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
}

/** Most servers name an older dialect, and use nothing that the dialects read differently. */
function ofDialect(schema: JsonObject): JsonObject {
  const { $schema, ...rest } = schema;
  return $schema === undefined || $schema === dialect ? schema : rest;
}
