import {
  asBoolean,
  asText,
  defineComponent,
  expressible,
  type GitRequest,
  gitBranchIssue,
  gitOperations,
  gitPathIssue,
  isObject,
  type Json,
  type Step,
  StepError,
  ui,
} from '@millrace/core';
import { z } from 'zod';

/** Commits that are read at once. */
const maxDepth = 1000;
/** Files in one commit, and paths in one request. */
const maxPaths = 1000;
/** Characters of all files of one commit. */
const maxFileText = 10 * 1024 * 1024;
/** Characters of the message of a commit. */
const maxMessage = 65_536;
/** Characters of a name or an address of an author. */
const maxAuthorText = 255;

const defaultAuthor = { name: 'Millrace', email: 'millrace@localhost' };

const authorText = z.string().min(1).max(maxAuthorText);

const config = z.strictObject({
  operation: z
    .enum(gitOperations)
    .describe(
      'What to do: read the newest state of a branch (`clone`, `pull`), change files (`commit`), send the commits of a ' +
        'workspace (`push`), or compare (`diff`).',
    )
    .meta({ default: 'clone', examples: ['commit'] })
    .optional(),
  url: z
    .string()
    .describe('The address of the repository, with `https://`, `http://` or `ssh://`, or as `user@host:path`.')
    .meta({ examples: ['https://git.example/team/site.git'] })
    .optional(),
  branch: z
    .string()
    .describe('The branch. Default: that of the repository.')
    .meta({ examples: ['main'] })
    .optional(),
  depth: expressible(z.int().min(1).max(maxDepth))
    .describe('How many commits to read, from the newest one. With `diff`, how many commits to compare.')
    .meta({ ...ui({ advanced: true }), default: 1, examples: [10] })
    .optional(),
  paths: z
    .union([z.array(z.string()).max(maxPaths), z.string()])
    .describe('The files whose contents to read, or the files and folders to which to limit a `diff`.')
    .meta({ default: [], examples: [['README.md']] })
    .optional(),
  files: z
    .union([z.record(z.string(), z.union([z.string(), z.null()])), z.string()])
    .describe(
      'The new contents of files, by path, for `commit`; null deletes a file. With `diff`, the result is what they would ' +
        'change.',
    )
    .meta({ default: {}, examples: [{ 'version.txt': '{{ trigger.payload.version }}' }] })
    .optional(),
  message: z
    .string()
    .max(maxMessage)
    .describe('The message of the commit.')
    .meta({ examples: ['Set the version to {{ trigger.payload.version }}'] })
    .optional(),
  author: z
    .strictObject({
      name: authorText.describe('The name of the author.').meta({ default: defaultAuthor.name, examples: ['Ada'] }),
      email: authorText
        .describe('The e-mail address of the author.')
        .meta({ default: defaultAuthor.email, examples: ['ada@example.com'] }),
    })
    .describe('Who makes the commit.')
    .meta({ ...ui({ advanced: true }), default: defaultAuthor, examples: [{ name: 'Ada', email: 'ada@example.com' }] })
    .optional(),
  push: expressible(z.boolean())
    .describe('Whether to push a commit at once.')
    .meta({ ...ui({ advanced: true }), default: true, examples: [false] })
    .optional(),
  workspace: z
    .string()
    .max(maxAuthorText)
    .describe(
      'A name under which the steps of one execution share a copy of the repository. Default: each step has its own copy.',
    )
    .meta({ ...ui({ advanced: true }), examples: ['site'] })
    .optional(),
});

type Config = z.infer<typeof config>;

export const git = defineComponent({
  type: 'git',
  label: 'Git',
  category: 'Tools',
  icon: 'folder-git',
  color: '#10b981',
  description: `Reads and changes files in a git repository on another server, over https or ssh.

Use it to read configuration or source texts, to commit files that a workflow wrote, or to see what changed. For private
repositories, and to push, set \`credential_id\` to a credential of type \`git\` with an \`access_token\`, or for
ssh with an \`ssh_private_key\`; its \`provider\` names the server that they are for.

\`clone\` and \`pull\` output the newest commit of the branch, the list of its files, and the contents of \`paths\`. \`commit\`
changes \`files\` and pushes the commit; if the files have these contents already, nothing is committed, so a repeated step
commits nothing twice. \`diff\` outputs what the last \`depth\` commits changed, or what \`files\` would change.

Each step works with a copy of its own, which is deleted at its end. Steps with the same \`workspace\` share a copy until the
execution ends: \`commit\` with \`push: false\` several times, then \`push\`. Nothing of a repository runs: no hooks, filters,
submodules or symbolic links.

\`\`\`json
{
  "operation": "commit",
  "url": "https://git.example/team/site.git",
  "files": { "version.txt": "1.3.0" },
  "message": "Set the version"
}
\`\`\``,
  errors: [
    'config',
    'credential_locked',
    'credential_missing',
    'credential_origin',
    'credential_unfit',
    'git_auth',
    'git_conflict',
    'git_failed',
    'git_unavailable',
    'http_blocked',
    'input',
    'secret_unreadable',
  ],
  example: {
    workflow: `name: Version
trigger: manual
steps:
  - id: source
    type: git
    url: https://git.example/team/site.git
    paths: [version.txt]
    policies: {pinned_output: {result: {branch: main, contents: {version.txt: "1.2.0"}}}}
  - id: note
    type: template
    template: "Version {{ source.result.contents['version.txt'] }}"
`,
    tests: `tests:
  - name: The version is read from the repository
    expect:
      outputs: {note: {output: Version 1.2.0}}
`,
  },
  inputs: [{ name: 'input', dataType: 'any', required: false, description: 'A value for expressions in the config.' }],
  outputs: [
    { name: 'result', dataType: 'object', description: 'The `branch`, the `commit`, and what the operation found.' },
    { name: 'tool', dataType: 'tool', description: 'The operation as a tool for agents.' },
  ],
  subInputs: [],
  effect: 'idempotent',
  tool: {
    description: 'Works with a git repository: reads files of a branch, commits files, or shows what changed.',
    fills: ['paths', 'files', 'message'],
    isUntrusted: true,
    // A repeated commit changes nothing, but the first one does.
    acts: ({ operation }) => operation === 'commit' || operation === 'push',
  },
  version: 1,
  config,
  needs: ['url'],
  addresses: ['url'],
  credential: { type: 'git' },
  async run(step) {
    return { outputs: { result: await step.ctx.git(requestOf(step)) } };
  },
});

function requestOf({ config }: Step<Config>): GitRequest {
  const { operation = 'clone', url, branch = '', depth = 1, message = '', push = true, workspace = '' } = config;
  if (url === undefined || url === '')
    throw new StepError('config', "'url' is missing: set the address of the repository.");
  const files = filesOf(config.files ?? {});
  if (operation === 'commit' && Object.keys(files).length === 0) {
    throw new StepError('config', "'files' is empty: name the files to commit.");
  }
  if (operation === 'commit' && message.trim() === '') throw new StepError('config', "'message' is missing.");
  const issue = branch === '' ? null : gitBranchIssue(branch);
  if (issue !== null) throw new StepError('config', `'branch' ${issue}.`);
  if (message.includes('\0')) throw new StepError('config', "'message' must have no zero characters.");
  return {
    operation,
    url: asText(url, 'url'),
    branch: branch === '' ? null : branch,
    depth: depthOf(depth),
    paths: pathsOf(config.paths ?? []),
    files,
    message,
    author: authorOf(config.author ?? defaultAuthor),
    push: asBoolean(push, 'push'),
    workspace: workspace === '' ? null : workspace,
  };
}

function depthOf(depth: Json): number {
  const number = Number(depth);
  if (Number.isInteger(number) && number >= 1 && number <= maxDepth) return number;
  throw new StepError('config', `'depth' must be an integer from 1 to ${maxDepth}.`);
}

function pathsOf(paths: Json): readonly string[] {
  const list = typeof paths === 'string' ? [paths] : paths;
  if (!Array.isArray(list) || list.length > maxPaths || !list.every((path) => typeof path === 'string')) {
    throw new StepError('config', `'paths' must be a list of at most ${maxPaths} texts.`);
  }
  for (const path of list) checkPath(path, 'paths');
  return list;
}

function filesOf(files: Json): GitRequest['files'] {
  const entries = isObject(files) ? Object.entries(files) : null;
  if (entries === null || entries.length > maxPaths) {
    throw new StepError('config', `'files' must be an object with at most ${maxPaths} paths and their texts.`);
  }
  let size = 0;
  for (const [path, text] of entries) {
    checkPath(path, 'files');
    if (text !== null && typeof text !== 'string') {
      throw new StepError('config', `'files' has a value for '${path}' that is neither text nor null.`);
    }
    size += text?.length ?? 0;
  }
  if (size > maxFileText) throw new StepError('config', "'files' has more than 10 MiB of text.");
  return files as GitRequest['files'];
}

function checkPath(path: string, key: string): void {
  const issue = gitPathIssue(path);
  if (issue !== null) throw new StepError('config', `'${key}' has the path '${path.slice(0, 100)}', which ${issue}.`);
}

/** Git removes some characters of names and addresses, and rejects what is left empty. */
function authorOf(author: GitRequest['author']): GitRequest['author'] {
  for (const [key, text] of Object.entries(author)) {
    if (!/[^\s.,:;<>"\\']/.test(text) || /[<>\p{Cc}]/u.test(text)) {
      throw new StepError('config', `'author.${key}' must be text without '<', '>' and control characters.`);
    }
  }
  return author;
}
