import type { RecordedGit } from '@millrace/contract';
import type { GitRequest, Json, JsonObject } from '@millrace/core';
import { differences } from './difference.ts';
import { exact } from './exact.ts';
import type { Kind, Writer } from './kind.ts';

/** Repositories, for which the program git is not started. */
export const gitKind: Kind<RecordedGit, GitRequest, JsonObject> = {
  key: 'git',
  failure: 'git_failed',
  nameOf: ({ request: { operation, url } }, index) =>
    `git[${index}] (${operation} ${typeof url === 'string' ? url : `…${url.contains}…`})`,
  fits: ({ request }, asked) => {
    const given = jsonOf(asked);
    return Object.entries(request).every(
      ([key, value]) => value === undefined || differences(value, given[key], key).length === 0,
    );
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
