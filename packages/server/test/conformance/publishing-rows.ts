import { part } from './row.ts';

/** Draft and published versions. */
export const publishingRows = [
  part('Publishing', 'interface.publishing', [
    [
      'live',
      'a workflow is live until somebody publishes it: triggers run its newest version',
      'server/src/store/testsuite/publications: a workflow is live at first: its effective version is always the newest',
      'model/publishing: every run has the version that the model says, whatever was edited, published and restored before',
    ],
    [
      'publish',
      'POST publish: 200 Workflow; the newest version by default',
      'publishing: publishes the newest version: edits are a draft from then on, and do not run',
    ],
    ['publish.rollback', '`version` is any stored version', 'publishing: rolls back to any stored version'],
    ['publish.unknown', 'unknown version: 404', 'publishing: answers 404 for the version %s, which is not stored'],
    [
      'publish.errors',
      'a version with errors: 422 with the issues, unless `force` is true',
      'publishing: refuses a version with errors, with all issues and without any change, unless force is true',
    ],
    [
      'publish.note',
      '`note` is shown with the version',
      'publishing: shows in the list of versions who published a version last, when, and with which note',
    ],
    [
      'publish.access',
      'the owner and editors publish',
      'publishing: takes the owner or an editor; viewers and public viewers may not publish, strangers find nothing',
    ],
    [
      'triggers',
      'webhooks, schedules, chats, error handlers and calls by other workflows run the published version',
      'model/publishing: every run has the version that the model says, whatever was edited, published and restored before',
    ],
    [
      'schedules',
      'schedules use the settings of the published version',
      'publishing: has the times of the published version, and its node shows them, also while the draft has others',
      'publishing: that is only in the draft does not fire, and cannot be started before it is published',
      'publishing: fires and can be stopped although the draft has lost or renamed its node',
    ],
    [
      'execute',
      '`execute/` runs the published version unless `version` is `"draft"` or a number',
      'publishing: runs the draft, any stored version, or the published one',
      'publishing: refuses the version %j with 422 and starts nothing',
    ],
    [
      'unpublish',
      'POST unpublish makes the workflow live again',
      'publishing: makes the workflow live again: its newest version runs',
    ],
    [
      'fields',
      'Workflow has `published_version` and `has_unpublished_changes`',
      'publishing: publishes the newest version: edits are a draft from then on, and do not run',
    ],
    [
      'import',
      'import accepts `publish: true`',
      'publishing: stores and publishes in one step; without it, a text for a published workflow is a draft',
      'publishing: makes a new workflow whose first graph is published',
      'publishing: refuses a text with errors, with their places, and stores nothing',
    ],
    [
      'events',
      'publishing emits `workflow_updated`',
      'publishing: emits workflow_updated, and moves updated_at only when another version is published',
    ],
    [
      'stored',
      'the published version is never pruned',
      'server/src/store/testsuite/publications: the published version is never pruned; once another is published, it is deleted',
      'server/src/store/testsuite/publications: retention keeps the graph of the published version even if no run uses it',
    ],
  ]),
];
