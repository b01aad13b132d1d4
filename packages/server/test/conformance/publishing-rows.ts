import { part } from './row.ts';

/** Draft and published versions. */
export const publishingRows = [
  part('Publishing', 'interface.publishing', [
    [
      'live',
      'a workflow is live until it is published: triggers run its newest version',
      'server/src/store/testsuite/publications: a workflow is live at first: its effective version is always the newest',
      'model/publishing: every run has the version that the model predicts, whatever was edited, published and restored before',
    ],
    [
      'publish',
      'POST publish: 200 Workflow; the newest version by default',
      'publishing: publishes the newest version; later edits are a draft and do not run',
    ],
    ['publish.rollback', '`version` is any stored version', 'publishing: rolls back to any stored version'],
    ['publish.unknown', 'unknown version: 404', 'publishing: answers 404 for the version %s, which is not stored'],
    [
      'publish.errors',
      'a version with errors: 422 with the issues, unless `force` is true',
      'publishing: rejects a version with errors, with all issues and without any change, unless force is true',
    ],
    [
      'publish.note',
      '`note` is shown with the version',
      'publishing: shows in the list of versions who last published a version, when, and with which note',
    ],
    [
      'publish.access',
      'the owner and editors may publish',
      'publishing: requires the owner or an editor: viewers and public viewers may not publish, strangers get 404',
    ],
    [
      'triggers',
      'webhooks, schedules, chats, error handlers and calls by other workflows run the published version',
      'model/publishing: every run has the version that the model predicts, whatever was edited, published and restored before',
    ],
    [
      'schedules',
      'schedules use the settings of the published version',
      'publishing: uses the times of the published version, and its node shows them even if the draft has others',
      'publishing: that is only in the draft does not fire, and cannot be started before it is published',
      'publishing: fires and can be stopped even if the draft has deleted or renamed its node',
    ],
    [
      'execute',
      '`execute/` runs the published version unless `version` is `"draft"` or a number',
      'publishing: runs the draft, any stored version, or the published one',
      'publishing: rejects the version %j with 422 and starts nothing',
    ],
    [
      'unpublish',
      'POST unpublish makes the workflow live again',
      'publishing: makes the workflow live again, so that its newest version runs',
    ],
    [
      'fields',
      'Workflow has `published_version` and `has_unpublished_changes`',
      'publishing: publishes the newest version; later edits are a draft and do not run',
    ],
    [
      'import',
      'import accepts `publish: true`',
      'publishing: stores and publishes in one step; without it, a text for a published workflow becomes a draft',
      'publishing: creates a new workflow with its first graph published',
      'publishing: rejects a text with errors, with their positions, and stores nothing',
    ],
    [
      'events',
      'publishing publishes `workflow_updated`',
      'publishing: publishes workflow_updated, and changes updated_at only if another version is published',
    ],
    [
      'stored',
      'the published version is never pruned',
      'server/src/store/testsuite/publications: the published version is never pruned; once another is published, it is deleted',
      'server/src/store/testsuite/publications: retention keeps the graph of the published version even if no run uses it',
    ],
  ]),
];
