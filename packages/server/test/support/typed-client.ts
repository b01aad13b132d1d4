import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import { type OpenapiDocument, type Operation, operationsOf } from './openapi.ts';

/** The types that openapi-typescript generates from the document, as docs/api.md describes. */
export async function typesOf(document: OpenapiDocument): Promise<string> {
  // A field with a default may be left out of a request.
  return astToString(await openapiTS(document as unknown as OpenAPI3, { defaultNonNullable: false, silent: true }));
}

/** How a client of these types calls an operation: every part of the operation, with its type. */
const client = `import type { operations } from './api';

type Only<Value> = [Value] extends [never | undefined] ? unknown : Value;
type JsonOf<Part> = Part extends { content: { 'application/json': infer Body } } ? Body : never;
type Request<Id extends keyof operations> = Only<operations[Id]['parameters']> &
  (operations[Id] extends { requestBody: infer Part }
    ? { body: JsonOf<Part> }
    : operations[Id] extends { requestBody?: infer Part }
      ? { body?: JsonOf<NonNullable<Part>> }
      : unknown);
type Success = 200 | 201 | 202 | 204 | '2XX';
type Answer<Id extends keyof operations> = {
  [Status in keyof operations[Id]['responses'] & Success]: JsonOf<operations[Id]['responses'][Status]>;
}[keyof operations[Id]['responses'] & Success];

export declare function call<Id extends keyof operations>(id: Id, request: Request<Id>): Promise<Answer<Id>>;
`;

const jsonType = 'application/json';

/** A program that calls every operation of the document with its examples, and assigns each response to its type. */
export function programOf(document: OpenapiDocument): string {
  const calls = operationsOf(document).flatMap(callsOf);
  return `import type { components } from './api';\nimport { call } from './client';\n\n${calls.join('\n')}\n`;
}

function callsOf({ raw, parameters, body }: Operation): string[] {
  const given = Map.groupBy(parameters, ({ in: place }) => place);
  const places = [...given].map(([place, named]) => {
    const values = named.map(
      ({ name, schema }) => `'${name}': ${schema.type === 'integer' ? 1 : parameterValue(schema)}`,
    );
    return `${place}: { ${values.join(', ')} }`;
  });
  const bodies = body === null ? [null] : body.examples;
  return bodies.map((example) => {
    const request = [...places, ...(example === null ? [] : [`body: ${JSON.stringify(example)}`])].join(', ');
    const statement = `await call('${raw.operationId}', { ${request} })`;
    const name = answerName(raw);
    return name === null ? `${statement};` : `(${statement}) satisfies components['schemas']['${name}'];`;
  });
}

function parameterValue(schema: { readonly enum?: unknown }): string {
  return JSON.stringify(Array.isArray(schema.enum) ? schema.enum[0] : 'text');
}

function answerName({ responses }: Operation['raw']): string | null {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const { $ref } = (success?.content?.[jsonType]?.schema ?? {}) as { $ref?: string };
  return $ref === undefined ? null : $ref.replace('#/components/schemas/', '');
}

/** The compiler errors of the program, as `file(line): message`. The libraries of the DOM and Node are left out. */
export function compile(types: string, program: string): string[] {
  const files = new Map([
    ['/api.d.ts', types],
    ['/client.ts', client],
    ['/program.ts', program],
  ]);
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2024.d.ts'],
    types: [],
  };
  const usual = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...usual,
    getSourceFile: (name, version) => {
      const text = files.get(name);
      return text === undefined ? usual.getSourceFile(name, version) : ts.createSourceFile(name, text, version);
    },
    fileExists: (name) => files.has(name) || usual.fileExists(name),
    readFile: (name) => files.get(name) ?? usual.readFile(name),
  };
  const found = ts.getPreEmitDiagnostics(ts.createProgram([...files.keys()], options, host));
  return found.map(({ file, start = 0, messageText }) => {
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1;
    return `${file?.fileName}(${line}): ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}
