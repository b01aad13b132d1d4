import type { RecordedGit } from '@millrace/contract';
import type { GitRequest, Json, JsonObject } from '@millrace/core';
import { exact } from './exact.ts';
import type { Kind, Writer } from './kind.ts';
import { Matching } from './matching.ts';

/** Repositories, for which the program git is not started. */
export const gitKind: Kind<RecordedGit, GitRequest, JsonObject> = {
  key: 'git',
  failure: 'git_failed',
  nameOf: ({ request: { operation, url } }, index) =>
    `git[${index}] (${operation} ${typeof url === 'string' ? url : `…${url.contains}…`})`,
  fitting(asked, meter) {
    const given = jsonOf(asked);
    const matching = new Matching(meter);
    return function* ({ request }) {
      for (const [key, value] of Object.entries(request))
        if (value !== undefined && !(yield* matching.of(value, given[key]))) return false;
      return true;
    };
  },
  answerOf: ({ output = {} }) => output,
  wordsOf: ({ operation, url }) => `the git operation ${operation} of ${url}`,
};

function jsonOf(request: GitRequest): Readonly<Record<string, Json>> {
  return { ...request, author: { ...request.author } };
}

export const gitWriter: Writer<RecordedGit, GitRequest, JsonObject> = {
  key: 'git',
  askedIn({ paths, files: given, author, ...request }) {
    const files = exact({ ...given });
    const rest = { paths: [...paths], author: { ...author }, ...(files !== undefined && { files }) };
    return { request: { ...request, ...rest } };
  },
  entryOf: (request, output) => ({ ...gitWriter.askedIn(request), output }),
};
