import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** Imported before a program: when the program ends, writes the list of files that it loaded to LOADED_FILES. */
const files = new Set();
registerHooks({
  load(url, context, next) {
    files.add(url);
    return next(url, context);
  },
});
process.on('exit', () => writeFileSync(String(process.env.LOADED_FILES), [...files].join('\n')));
