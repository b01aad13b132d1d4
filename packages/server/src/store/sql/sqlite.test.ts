import { storeConformance } from '../store.testsuite.ts';
import { everySoMany } from '../testsuite/schedules.testsuite.ts';
import { openSqliteStore } from './sqlite.ts';

storeConformance('the SQLite store', async () => openSqliteStore({ path: ':memory:', readTimetable: everySoMany }));
