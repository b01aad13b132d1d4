import { afterEach, beforeEach, describe } from 'vitest';
import type { Store } from './store.ts';
import { acceptSentences } from './testsuite/accept.testsuite.ts';
import { accountSentences } from './testsuite/accounts.testsuite.ts';
import { activitySentences } from './testsuite/activity.testsuite.ts';
import { appendSentences } from './testsuite/append.testsuite.ts';
import { botSentences } from './testsuite/bots.testsuite.ts';
import { cancelSentences } from './testsuite/cancel.testsuite.ts';
import { chatSentences } from './testsuite/chats.testsuite.ts';
import { claimSentences } from './testsuite/claim.testsuite.ts';
import { collaboratorSentences } from './testsuite/collaborators.testsuite.ts';
import { commitSentences } from './testsuite/commit.testsuite.ts';
import { concurrencySentences } from './testsuite/concurrency.testsuite.ts';
import { conversationSentences } from './testsuite/conversations.testsuite.ts';
import { credentialSentences } from './testsuite/credentials.testsuite.ts';
import { familySentences } from './testsuite/families.testsuite.ts';
import { graphSentences } from './testsuite/graphs.testsuite.ts';
import { historySentences } from './testsuite/history.testsuite.ts';
import { lawSentences } from './testsuite/laws.testsuite.ts';
import { listSentences } from './testsuite/list.testsuite.ts';
import { memorySentences } from './testsuite/memory.testsuite.ts';
import { placeSentences } from './testsuite/places.testsuite.ts';
import { publicationSentences } from './testsuite/publications.testsuite.ts';
import { recordingSentences } from './testsuite/recordings.testsuite.ts';
import { retentionSentences } from './testsuite/retention.testsuite.ts';
import { retrySentences } from './testsuite/retry.testsuite.ts';
import { scheduleSentences } from './testsuite/schedules.testsuite.ts';
import { trashSentences } from './testsuite/trash.testsuite.ts';
import { usageSentences } from './testsuite/usage.testsuite.ts';
import { versionSentences } from './testsuite/versions.testsuite.ts';
import { waitSentences } from './testsuite/waits.testsuite.ts';
import { workflowSentences } from './testsuite/workflows.testsuite.ts';

const chapters: Readonly<Record<string, (store: () => Store) => void>> = {
  'users and keys': accountSentences,
  workflows: workflowSentences,
  collaborators: collaboratorSentences,
  'the trash': trashSentences,
  'the activity of workflows': activitySentences,
  'the usage of models': usageSentences,
  graphs: graphSentences,
  'versions of graphs': versionSentences,
  'published versions': publicationSentences,
  schedules: scheduleSentences,
  credentials: credentialSentences,
  'accepting runs': acceptSentences,
  'claiming runs': claimSentences,
  'places that owners share': placeSentences,
  'concurrency limits and queue positions': concurrencySentences,
  'chat history': chatSentences,
  'the conversation before a message': conversationSentences,
  'appending to journals': appendSentences,
  'cancelling runs': cancelSentences,
  'waiting runs': waitSentences,
  'runs that wait for each other': familySentences,
  'retrying runs': retrySentences,
  'reading runs': historySentences,
  'listing runs': listSentences,
  bots: botSentences,
  'what workflows remember': memorySentences,
  recordings: recordingSentences,
  retention: retentionSentences,
  committing: commitSentences,
  invariants: lawSentences,
};

/** The tests that every store must pass. `open` returns a new, empty store. */
export function storeConformance(name: string, open: () => Promise<Store>): void {
  describe(name, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());
    for (const [chapter, sentences] of Object.entries(chapters)) describe(chapter, () => sentences(() => store));
  });
}
