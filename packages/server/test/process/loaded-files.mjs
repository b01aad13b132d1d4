import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** Imported before a program: leaves a list of the files that it loaded where LOADED_FILES says, when it ends. */
const files = new Set();
registerHooks({
  load(url, context, next) {
    files.add(url);
    return next(url, context);
  },
});
process.on('exit', () => writeFileSync(String(process.env.LOADED_FILES), [...files].join('\n')));
