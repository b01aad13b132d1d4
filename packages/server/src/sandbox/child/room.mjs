import { readFileSync } from 'node:fs';

/** The modules around a script, each under the name by which the others import it. */
const files = ['intrinsics', 'json-writer', 'script-console', 'virtual-world', 'harness'].map(
  (name) => `./${name}.mjs`,
);
const sources = new Map(files.map((file) => [file, readFileSync(new URL(`inside/${file}`, import.meta.url), 'utf8')]));

/** An isolate with its harness, created before its script arrives. It runs one script and is then discarded. */
export class Room {
  /**
   * @param {typeof import('isolated-vm')} ivm
   * @param {{ memoryLimit: number }} limits
   * @param {(line: string) => void} receive receives each line of the script's console
   */
  constructor(ivm, limits, receive) {
    this.isolate = new ivm.Isolate(limits);
    this.context = this.isolate.createContextSync();
    this.verbs = this.#install();
    this.verbs.listen.applySync(undefined, [new ivm.Callback(receive, { ignored: true })]);
  }

  close() {
    if (!this.isolate.isDisposed) this.isolate.dispose();
  }

  #install() {
    /** @type {Map<string, import('isolated-vm').Module>} */
    const modules = new Map();
    for (const [file, source] of sources) modules.set(file, this.isolate.compileModuleSync(source, { filename: file }));
    /** @param {string} file */
    const find = (file) => {
      const module = modules.get(file);
      if (module === undefined) throw new Error(`no module ${file} in the sandbox`);
      return module;
    };
    const harness = find('./harness.mjs');
    harness.instantiateSync(this.context, find);
    harness.evaluateSync();
    /** @param {string} name */
    const verb = (name) => harness.namespace.getSync(name, { reference: true });
    const [isBody, enter, start] = [verb('isBody'), verb('enter'), verb('start')];
    return { isBody, enter, start, report: verb('report'), listen: verb('listen') };
  }
}
