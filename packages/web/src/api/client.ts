import { createClient } from '@millrace/client';

/** The service that served this page. */
export const client = createClient();
