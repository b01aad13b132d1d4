import { formatInstant, type GraphIssue } from '@millrace/core';
import { z } from 'zod';
import { invalidBody } from '../base/error.ts';
import { issue } from '../base/issue.ts';
import { named } from '../base/named.ts';
import { timestamp } from '../base/timestamp.ts';
import { presentIssue } from './validation.ts';

/** Longer notes belong in the description of the workflow. */
const maxNote = 1000;

/** The version to publish. */
export const publishRequest = named(
  'PublishRequest',
  z.object({
    version: z.int().min(1).nullish().describe('Any stored version; by default, the newest.'),
    note: z.string().max(maxNote).nullish().describe('A description of the changes, for the list of versions.'),
    force: z.boolean().optional().describe('Whether to publish a version that has errors.'),
  }),
  { description: 'Which version to publish.' },
);

/** The body of a 422 for a version with errors. */
const rejectedPublication = named(
  'InvalidPublication',
  z.object({ detail: z.string(), issues: z.array(issue).describe('As `validate/` returns them.') }),
  { description: 'The version has errors; nothing changed.' },
);

/** The body of a 422 for a publication. */
export const publishError = named('PublishError', z.union([rejectedPublication, invalidBody]), {
  description: 'The errors of the version, or of the request.',
  example: {
    detail: "Version 4 has errors: fix them, or publish it with 'force'.",
    issues: [
      {
        code: 'missing_connection',
        severity: 'error',
        node_id: 'writer',
        message: "Node 'writer' is missing required 'model' connection",
      },
    ],
  },
});

/** The last time that a version was published. */
export const publication = z.object({
  published_at: timestamp,
  author: z.string().nullable().describe('The user who published it; null if that user was deleted.'),
  note: z.string().nullable(),
});
type PublicationBody = z.infer<typeof publication>;

interface Publication {
  readonly at: number;
  readonly author: string | null;
  readonly note: string | null;
}

/** A publication as the API shows it. */
export function presentPublication({ at, author, note }: Publication): PublicationBody {
  return { published_at: formatInstant(at), author, note };
}

/** Why a version was not published, as the API shows it. */
export function presentRejectedPublication(rejected: {
  readonly version: number;
  readonly issues: readonly GraphIssue[];
}): z.infer<typeof rejectedPublication> {
  const detail = `Version ${rejected.version} has errors: fix them, or publish it with 'force'.`;
  return { detail, issues: rejected.issues.map(presentIssue) };
}
